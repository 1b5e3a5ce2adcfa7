import type { IncomingHttpHeaders } from 'node:http';

/** The request comes from a phone: client hints say so (UA Client Hints §3.3), else the browser's name. */
export function isPhone(headers: IncomingHttpHeaders): boolean {
  const hint = headers['sec-ch-ua-mobile'];
  return hint === undefined ? /\bMobi/u.test(headers['user-agent'] ?? '') : hint === '?1';
}
