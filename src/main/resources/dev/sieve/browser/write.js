// What is in shadow trees, and in frames that scripts have filled, becomes part of the document. Its links stay relative to where
// it has moved, with their queries in its encoding, and what it has as text is not markup when it is read again. Timers end
// with it, so that they do not run on when the tab goes to the next page.
((url, limit) => {
  const isHtml = document.contentType === 'text/html';
  const open = root => {
    for (const each of root.querySelectorAll('*')) {
      const frame = each.contentDocument;
      if (each.shadowRoot) {
        open(each.shadowRoot);
        each.append(...[...each.shadowRoot.childNodes].map(node => node.cloneNode(true)));
      } else if (frame?.body) {
        open(frame);
        if (frame.baseURI !== document.baseURI) {
          frame.querySelectorAll('a[href], area[href]').forEach(a => a.setAttribute('href', a.href));
        }
        each.after(...[...frame.body.childNodes].map(node => document.importNode(node, true)));
      }
    }
  };
  open(document);
  document.querySelectorAll('noscript, template').forEach(each => each.remove());
  if (isHtml) {
    const comments = document.createNodeIterator(document, 0xC0);
    for (let each = comments.nextNode(); each; each = comments.nextNode()) {
      each.remove();
    }
    document.querySelectorAll('iframe, noembed, noframes').forEach(each => each.textContent = '');
    document.querySelectorAll('xmp, plaintext').forEach(each => each.replaceWith(each.textContent));
    for (const each of document.querySelectorAll('style, script')) {
      const text = each.textContent;
      const inert = text.replace(/<(?=\/(?:script|style)|!--)/gi, '\\u003C');
      if (inert !== text) {
        each.textContent = inert;
      }
    }
  }
  if (document.characterSet !== 'UTF-8') {
    const link = document.createElement('a');
    for (const name of ['href', 'src', 'action', 'data', 'poster', 'cite']) {
      for (const each of document.querySelectorAll(`[${name}]`)) {
        if (/[^\0-\x7F]/.test(each.getAttribute(name))) {
          link.href = each.getAttribute(name);
          each.setAttribute(name, link.href);
        }
      }
    }
  }
  let base = document.querySelector('base[href]');
  if (!base && document.URL.split('#')[0] !== url) {
    base = document.createElement('base');
    (document.head || document.documentElement)?.prepend(base);
  }
  base?.setAttribute('href', document.baseURI);
  for (let timer = setTimeout(() => {}); timer > 0; timer--) {
    clearTimeout(timer);
  }
  const html = (isHtml ? '<!DOCTYPE html>' : '') + (document.documentElement?.outerHTML ?? '');
  const {read} = new TextEncoder().encodeInto(html.slice(0, limit), new Uint8Array(limit));
  globalThis.written = html.slice(0, read);
  return {url: document.URL, length: read, cut: read < html.length ? 1 : 0,
    type: isHtml ? 'text/html' : document.contentType,
    wrong: document.querySelector('parsererror') && !isHtml ? 1 : 0};
})
