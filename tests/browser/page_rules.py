# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every page."""

# Of each text that is seen: what it says, and its contrast with what is behind it. A cell of a matrix is painted with some opacity.
CONTRAST = r'''
(() => {
  const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n };
  const over = (top, bottom) => [0, 1, 2].map(i => top[i] * top[3] + bottom[i] * (1 - top[3])).concat(1);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const behind = (element, x, y) => {
    let color = parse(getComputedStyle(document.body).backgroundColor);
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.unshift(e);
    for (const e of chain) if (!(e instanceof SVGElement)) color = over(parse(getComputedStyle(e).backgroundColor), color);
    const svg = element.closest('svg');
    if (svg) for (const rect of svg.querySelectorAll('rect')) {
      const box = rect.getBoundingClientRect(), style = getComputedStyle(rect);
      if (style.fill !== 'none' && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom) {
        const fill = parse(style.fill);
        color = over([fill[0], fill[1], fill[2], fill[3] * Number(style.fillOpacity)], color);
      }
    }
    return color;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement, style = getComputedStyle(element);
    if (!node.data.trim() || element.closest('title, desc, .hidden, .skip, style')) continue;
    const range = document.createRange();
    range.selectNode(node);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const back = behind(element, box.left + box.width / 2, box.top + box.height / 2);
    const front = over(parse(element instanceof SVGElement ? style.fill : style.color), back);
    const [a, b] = [light(front), light(back)];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.data.trim()]);
  }
  return found;
})()'''


def complaints(events, own):
    """Errors, warnings and requests among EVENTS, but for what begins with the address OWN, or is in the page itself."""
    found = []
    for event in events:
        method, parameters = event.get('method'), event.get('params', {})
        if method == 'Network.requestWillBeSent':
            url = parameters['request']['url']
            if not url.startswith(('data:', 'blob:', own)):
                found.append(f'asks for {url}')
        elif method in ('Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded', 'Page.javascriptDialogOpening'):
            found.append(f'{method}: {parameters}')
    return found
