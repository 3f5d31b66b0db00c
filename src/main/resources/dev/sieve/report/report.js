/* Makes tables sortable and searchable, and draws charts from their cells. Only text is written to the page. */
'use strict';
const sieve = (() => {
  const charts = new Map();
  const sorted = new Map();
  const searched = new Map();
  const opened = new Map();
  const dark = matchMedia('(prefers-color-scheme: dark)');

  const value = cell => cell === undefined ? '' : cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  const rows = table => [...table.tBodies[0].rows];

  function sort(table, column, ascending) {
    const order = ascending ? 1 : -1;
    const compare = (one, other) => {
      const a = value(one.cells[column]);
      const b = value(other.cells[column]);
      return order * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
    };
    table.tBodies[0].append(...rows(table).sort(compare));
    [...table.tHead.rows[0].cells].forEach((header, i) => {
      if (i === column) {
        header.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      } else {
        header.removeAttribute('aria-sort');
      }
    });
    sorted.set(table.id, {column, ascending});
  }

  function search(table, text) {
    const wanted = text.toLowerCase();
    rows(table).forEach(row => {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    searched.set(table.id, text);
  }

  function sortable(table) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = header.textContent;
      const isNumber = header.classList.contains('n');
      button.addEventListener('click', () => {
        const state = sorted.get(table.id);
        sort(table, column, state && state.column === column ? !state.ascending : !isNumber);
      });
      header.replaceChildren(button);
      // The name of the column on narrow screens, where each row is a card.
      table.style.setProperty('--column' + (column + 1), '"' + button.textContent + ': "');
    });
  }

  function searchable(table) {
    const input = document.createElement('input');
    input.type = 'search';
    input.id = 'search-' + table.id;
    input.placeholder = 'Filter rows';
    input.setAttribute('aria-label', 'Filter the rows of this table');
    input.addEventListener('input', () => search(table, input.value));
    table.parentElement.before(input);
  }

  /* Applies what the user has chosen; called again when rows are new. */
  function restore(table) {
    const order = sorted.get(table.id);
    if (order) {
      sort(table, order.column, order.ascending);
    }
    const text = searched.get(table.id);
    const input = document.getElementById('search-' + table.id);
    if (text && input) {
      input.value = text;
      search(table, text);
    }
  }

  const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /* Without an exponent, and small numbers with three digits. */
  const plain = number => number.toLocaleString('en-US',
    Math.abs(number) < 1 ? {maximumSignificantDigits: 3} : {maximumFractionDigits: 2});

  function timeUnit(seconds) {
    return seconds > 7200 ? ['h', 3600] : seconds > 300 ? ['min', 60] : ['s', 1];
  }

  function marks(figure, factor) {
    const table = document.getElementById(figure.dataset.marks);
    if (!table) {
      return [];
    }
    return [{
      type: 'scatter',
      label: 'Capacity event',
      data: rows(table).map(row => ({x: value(row.cells[0]) / factor, y: value(row.cells[1])})),
      backgroundColor: color('--warn'),
      borderColor: color('--warn'),
      pointStyle: 'triangle',
      radius: 7,
      hoverRadius: 9,
    }];
  }

  function config(figure, table) {
    const isLine = figure.dataset.type === 'line';
    const isSideways = figure.dataset.type === 'sideways';
    const x = Number(figure.dataset.x);
    const y = Number(figure.dataset.y);
    const header = column => table.tHead.rows[0].cells[column].textContent;
    const cells = rows(table).slice(0, isSideways ? 12 : undefined);
    const last = isLine && cells.length > 0 ? value(cells.reduce((a, b) => value(a.cells[x]) > value(b.cells[x]) ? a : b).cells[x]) : 0;
    const [unit, factor] = timeUnit(last);
    const points = isLine
      ? cells.map(row => ({x: value(row.cells[x]) / factor, y: value(row.cells[y])})).sort((a, b) => a.x - b.x)
      : cells.map(row => value(row.cells[y]));
    const scale = (title, isCategory) => ({
      title: {display: !isSideways, text: title, color: color('--soft')},
      grid: {color: color('--line')},
      ticks: {
        color: color('--soft'),
        maxRotation: 0,
        autoSkip: !(isSideways && isCategory),
        ...(isCategory ? {} : {callback: plain}),
      },
      border: {color: color('--line')},
    });
    const accent = color('--accent');
    const bars = cells.map(row => row.classList.contains('bad') ? color('--warn') : accent);
    const short = text => text.length > 24 ? text.slice(0, 23) + '…' : text;
    return {
      type: isLine ? 'line' : 'bar',
      data: {
        labels: isLine ? undefined : cells.map(row => short(row.cells[x].textContent)),
        datasets: [{
          label: header(y),
          data: points,
          borderColor: accent,
          backgroundColor: isLine ? accent + '22' : bars,
          borderWidth: isLine ? 2 : 0,
          fill: isLine,
          pointRadius: points.length === 1 ? 3 : 0,
          pointHitRadius: 12,
          maxBarThickness: 48,
        }, ...marks(figure, factor)],
      },
      options: {
        animation: false,
        locale: 'en-US',
        maintainAspectRatio: false,
        indexAxis: isSideways ? 'y' : 'x',
        interaction: {mode: isLine ? 'nearest' : 'index', axis: isSideways ? 'y' : 'x', intersect: false},
        scales: {
          [isSideways ? 'y' : 'x']: {
            ...scale(isLine ? 'time (' + unit + ')' : header(x), !isLine),
            type: isLine ? 'linear' : 'category',
            ...(isLine ? {min: 0} : {}),
          },
          [isSideways ? 'x' : 'y']: {...scale(header(y)), beginAtZero: true},
        },
        plugins: {
          legend: {display: false},
          tooltip: {
            callbacks: {
              title: items => isLine ? plain(items[0].parsed.x) + ' ' + unit : items[0].label,
              label: item => item.dataset.label + ': ' + plain(isSideways ? item.parsed.x : item.parsed.y),
            },
          },
        },
      },
    };
  }

  function draw(figure) {
    const table = document.getElementById(figure.dataset.table);
    if (typeof Chart === 'undefined' || !table || rows(table).length === 0) {
      return;
    }
    const drawn = charts.get(figure.id);
    if (drawn && figure.contains(drawn.canvas)) {
      Object.assign(drawn, (({data, options}) => ({data, options}))(config(figure, table)));
      drawn.update('none');
      return;
    }
    figure.hidden = false;
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', figure.querySelector('figcaption').textContent + '; the numbers are in a table');
    figure.querySelector('.plot').replaceChildren(canvas);
    charts.set(figure.id, new Chart(canvas, config(figure, table)));
  }

  function fold(details) {
    details.open = opened.get(details.id) === true;
    details.addEventListener('toggle', () => opened.set(details.id, details.open));
  }

  function enhance(root) {
    root.querySelectorAll('details').forEach(fold);
    root.querySelectorAll('table:has(thead)').forEach(sortable);
    root.querySelectorAll('table[data-filter]').forEach(searchable);
    root.querySelectorAll('table').forEach(restore);
  }

  function drawAll() {
    document.querySelectorAll('figure.chart').forEach(draw);
  }

  /* Replaces sections by newer ones. What the user has sorted, filtered and opened stays so. */
  function update(html) {
    const main = document.querySelector('main');
    const template = document.createElement('template');
    template.innerHTML = html;
    let previous = null;
    [...template.content.children].forEach(section => {
      const old = document.getElementById(section.id);
      if (old && old.contains(document.activeElement)) {
        // The field or button that is in use stays; only the rows are replaced.
        section.querySelectorAll('table').forEach(table => {
          const oldTable = document.getElementById(table.id);
          if (oldTable) {
            oldTable.tBodies[0].replaceWith(table.tBodies[0]);
            restore(oldTable);
          }
        });
        previous = old;
        return;
      }
      // A chart stays, and with it what it shows of the point under the mouse.
      section.querySelectorAll('figure.chart').forEach(figure => {
        if (charts.has(figure.id)) {
          figure.replaceWith(document.getElementById(figure.id) || figure);
        }
      });
      if (old) {
        old.replaceWith(section);
      } else if (previous) {
        previous.after(section);
      } else {
        main.prepend(section);
      }
      previous = section;
      enhance(section);
    });
    for (const [id, chart] of charts) {
      if (!document.getElementById(id)) {
        chart.destroy();
        charts.delete(id);
      }
    }
    drawAll();
  }

  enhance(document);
  drawAll();
  dark.addEventListener('change', drawAll);
  /* On paper everything is unfolded, and charts have the colors of a light page. */
  let unfolded = [];
  addEventListener('beforeprint', () => {
    unfolded = [...document.querySelectorAll('details:not([open])')];
    unfolded.forEach(details => { details.open = true; });
    document.documentElement.classList.add('paper');
    drawAll();
  });
  addEventListener('afterprint', () => {
    unfolded.forEach(details => { details.open = false; });
    document.documentElement.classList.remove('paper');
    drawAll();
  });
  return {update, charts};
})();
