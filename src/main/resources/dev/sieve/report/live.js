/* Keeps the page of a running crawl up to date, and says when it no longer is. */
'use strict';
(() => {
  const RETRY_MILLIS = 2000;
  /* Long tables change more rarely, since they cost most of the time and of the traffic. */
  const UPDATES_PER_COMPLETE_ONE = 10;
  const state = document.getElementById('state');
  const time = () => new Date().toLocaleTimeString();
  let updated = time();
  let listed = updated;
  let updates = 0;

  function say(text, isStale) {
    state.textContent = text;
    state.classList.toggle('stale', isStale);
  }

  /* Replaces what has changed; the positions to which the user has scrolled stay. */
  function update(html) {
    const scrolled = [scrollX, scrollY];
    const tables = new Map([...document.querySelectorAll('.scroll > table')].map(table => [table.id, table.parentElement.scrollLeft]));
    sieve.update(html);
    tables.forEach((left, id) => {
      const table = document.getElementById(id);
      if (table) {
        table.parentElement.scrollLeft = left;
      }
    });
    scrollTo(...scrolled);
    updated = time();
  }

  async function poll() {
    let next = RETRY_MILLIS;
    try {
      const response = await fetch('update?' + (++updates % UPDATES_PER_COMPLETE_ONE ? 'progress' : 'complete'));
      if (!response.ok) {
        throw new Error(response.status);
      }
      next = response.headers.get('Next-Update-Millis');
      const isComplete = updates % UPDATES_PER_COMPLETE_ONE === 0;
      const html = await response.text();
      if (!next) {
        update(html);
        say('The crawl has ended. This is its state at ' + updated + '.', false);
        return;
      }
      if (getSelection().isCollapsed) {
        update(html);
        listed = isComplete ? updated : listed;
        say('The crawl is running. Overview and speed are those of ' + updated + ', the lists those of ' + listed + '.', false);
      } else {
        say('The crawl is running. Not updated since ' + updated + ', while text is selected.', false);
      }
    } catch {
      say('The connection is lost. This is the state at ' + updated + '. Trying again.', true);
    }
    setTimeout(poll, Number(next));
  }

  document.title = 'Crawl, live';
  document.querySelector('h1').textContent = 'Crawl, live';
  say('The crawl is running.', false);
  poll();
})();
