/* Keeps the page of a running crawl up to date, and says when it no longer is. */
'use strict';
(() => {
  const RETRY_MILLIS = 5000;
  const state = document.getElementById('state');
  const time = () => new Date().toLocaleTimeString();
  let updated = time();

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

  function connect() {
    const source = new EventSource('events');
    source.addEventListener('update', event => {
      if (getSelection().isCollapsed) {
        update(event.data);
        say('The crawl is running. Updated at ' + updated + '.', false);
      } else {
        say('The crawl is running. Not updated since ' + updated + ', while text is selected.', false);
      }
    });
    source.addEventListener('end', event => {
      source.close();
      update(event.data);
      say('The crawl has ended. This is its state at ' + updated + '.', false);
    });
    source.addEventListener('error', () => {
      say('The connection is lost. This is the state at ' + updated + '. Trying again.', true);
      if (source.readyState === EventSource.CLOSED) {
        setTimeout(connect, RETRY_MILLIS);
      }
    });
  }

  document.title = 'Crawl, live';
  document.querySelector('h1').textContent = 'Crawl, live';
  say('The crawl is running.', false);
  connect();
})();
