import { randomId } from '#platform/data/ids.ts';
import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import type { IceServer } from '../contract.ts';
import { TURN_CREDENTIAL_SECONDS } from '../rules.ts';

export type IceServerView = z.infer<typeof IceServer>;

/** STUN and TURN servers of the installation. */
export interface IceSettings {
  readonly servers: readonly IceServerView[];
  /** TURN server with a shared secret (coturn `use-auth-secret`); null without one. */
  readonly turn: { readonly urls: readonly string[]; readonly secret: string } | null;
}

/**
 * ICE servers for one publisher or viewer. TURN credentials are individual and expire (TURN REST API,
 * draft-uberti-behave-turn-rest §2.2): `expiry:opaque` and its HMAC-SHA1.
 */
export function iceServersOf({ servers, turn }: IceSettings, now: Date): IceServerView[] {
  const list = servers.map((server) => ({ ...server, urls: [...server.urls] }));
  if (!turn) return list;
  const expires = Math.floor(now.getTime() / 1_000) + TURN_CREDENTIAL_SECONDS;
  const username = `${expires}:${randomId()}`;
  const credential = createHmac('sha1', turn.secret).update(username).digest('base64');
  return [...list, { urls: [...turn.urls], username, credential }];
}

/** A quoted-string (RFC 9110 §5.6.4). */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/gu, '\\$&')}"`;

/** ICE servers as a `Link` header (RFC 9725 §4.6); no header without servers. */
export function linkHeaders(servers: readonly IceServerView[]): { link?: string } {
  const links = servers.flatMap(({ urls, username, credential }) =>
    urls.map((url) =>
      [
        `<${url}>; rel="ice-server"`,
        ...(username === undefined ? [] : [`username=${quoted(username)}`]),
        ...(credential === undefined
          ? []
          : [`credential=${quoted(credential)}`, 'credential-type="password"']),
      ].join('; ')
    )
  );
  return links.length === 0 ? {} : { link: links.join(', ') };
}
