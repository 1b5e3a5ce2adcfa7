import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { createHash } from 'node:crypto';
import {
  listRedirectKeys,
  makeRedirectKey,
  redirectUnknown,
  targetRefused,
  verifyRedirect,
  withdrawRedirectKey,
} from '../contract/redirects.ts';
import type { SiteSettings } from '../rules.ts';
import {
  isAllowed,
  REDIRECT_KEY_BITS,
  REDIRECT_KEYS_PER_PAGE,
  redirectState,
  redirectTarget,
} from '../rules/redirects.ts';
import {
  countUse,
  findByHash,
  findRedirect,
  insertRedirect,
  markWithdrawn,
  selectRedirects,
  type RedirectRow,
} from '../store/redirects.ts';

interface RedirectDependencies {
  readonly data: Data;
  readonly settingsIn: (tx: Tx) => Promise<SiteSettings>;
  readonly linkOrigin: (requested: string) => string;
}

const hashOf = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

const viewOf = (row: RedirectRow, now: Date, hosts: readonly string[]) => ({
  id: row.id,
  target: row.target,
  note: row.note,
  state: redirectState(row, now, hosts),
  made_at: row.madeAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  uses: row.uses,
  max_uses: row.maxUses,
});

/** The same for every key that leads nowhere, whatever the reason. */
const NOWHERE = { verified: false, target: null, host: null };

/**
 * Redirect keys: made by admins, followed by anybody. The stored target is checked against the list of
 * allowed hosts again whenever it is followed.
 */
export function redirectHandlers({ data, settingsIn, linkOrigin }: RedirectDependencies): CallHandler[] {
  return [
    handleCall(verifyRedirect)(({ key }, { scope }) =>
      data.tx(scope, async (tx) => {
        const row = await findByHash(tx, hashOf(key));
        const { redirectHosts } = await settingsIn(tx);
        if (!row || redirectState(row, tx.now, redirectHosts) !== 'active') return NOWHERE;
        const leads = redirectTarget(row.target);
        if (!leads || !(await countUse(tx, row.id))) return NOWHERE;
        const host = leads.kind === 'site' ? leads.host : null;
        return { verified: true, target: leads.target, host };
      })
    ),
    handleCall(listRedirectKeys)(({ before = null }, { scope }) =>
      data.read(scope, async (tx) => {
        const rows = await selectRedirects(tx, before);
        const { redirectHosts } = await settingsIn(tx);
        const next = rows.length === REDIRECT_KEYS_PER_PAGE ? rows.at(-1)?.id ?? null : null;
        return { keys: rows.map((row) => viewOf(row, tx.now, redirectHosts)), next };
      })
    ),
    handleCall(makeRedirectKey)((input, { scope, personId, origin, refuse }) =>
      data.tx(scope, async (tx) => {
        const { redirectHosts } = await settingsIn(tx);
        const leads = redirectTarget(input.target);
        if (!isAllowed(leads, redirectHosts)) return refuse(targetRefused);
        const key = randomId(REDIRECT_KEY_BITS);
        const id = await insertRedirect(tx, {
          hash: hashOf(key),
          target: leads.target,
          note: cleanText(input.note),
          expiresAt: new Date(tx.now.getTime() + input.days * DAY_MS),
          maxUses: input.max_uses,
        });
        await tx.audit({
          action: makeRedirectKey.name,
          actorId: personId,
          subject: `redirect:${id}`,
          detail: { target: leads.target, days: input.days, maxUses: input.max_uses },
        });
        const row = await findRedirect(tx, id);
        if (!row) throw new Error(`redirect key ${id} was not stored`);
        return { ...viewOf(row, tx.now, redirectHosts), url: `${linkOrigin(origin)}/redir/${key}` };
      })
    ),
    handleCall(withdrawRedirectKey)(({ id, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const isNew = await markWithdrawn(tx, id);
        const row = await findRedirect(tx, id);
        if (!row) return refuse(redirectUnknown);
        if (isNew) {
          await tx.audit({
            action: withdrawRedirectKey.name,
            actorId: personId,
            subject: `redirect:${id}`,
            reason,
          });
        }
        const { redirectHosts } = await settingsIn(tx);
        return viewOf(row, tx.now, redirectHosts);
      })
    ),
  ];
}
