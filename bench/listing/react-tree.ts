/**
 * React's own `renderToString` of a document's markup, in a process of its own: elements and texts alone,
 * without components, hooks, data and routing. It reads the HTML from its standard input and prints documents
 * per CPU-second.
 */
import { Window, type Node } from 'happy-dom';
import { text } from 'node:stream/consumers';
import { createElement, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';

const SECONDS = process.argv.includes('--smoke') ? 0.5 : 5;
const ELEMENT = 1;
const TEXT = 3;

/** React takes attributes by their HTML names, but for a style in one text. */
function treeOf(node: Node, key: number): ReactNode {
  if (node.nodeType === TEXT) return node.textContent;
  if (node.nodeType !== ELEMENT) return null;
  const element = node as ReturnType<Window['document']['createElement']>;
  const attributes = [...element.attributes].map(({ name, value }) =>
    [name === 'style' ? 'data-style' : name, value] as const
  );
  const children = [...element.childNodes].map(treeOf);
  return createElement(
    element.tagName.toLowerCase(),
    { ...Object.fromEntries(attributes), key },
    ...children,
  );
}

const window = new Window();
window.document.body.innerHTML = /<body[^>]*>([\s\S]*?)<script/u.exec(await text(process.stdin))?.[1] ?? '';
const tree = createElement('div', null, ...[...window.document.body.childNodes].map(treeOf));
const until = (seconds: number): number => {
  const end = performance.now() + seconds * 1000;
  let rendered = 0;
  for (; performance.now() < end; rendered += 1) renderToString(tree);
  return rendered;
};
until(SECONDS / 4);
const before = process.cpuUsage();
const rendered = until(SECONDS);
const { user, system } = process.cpuUsage(before);
console.log(rendered / ((user + system) / 1e6));
process.exit(0);
