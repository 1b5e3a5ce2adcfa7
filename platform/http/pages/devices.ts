import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the request comes from a phone, by client hints (UA Client Hints §3.3), else by the browser's name.
 */
export function isPhone(headers: IncomingHttpHeaders): boolean {
  const hint = headers['sec-ch-ua-mobile'];
  return hint === undefined ? /\bMobi/u.test(headers['user-agent'] ?? '') : hint === '?1';
}
