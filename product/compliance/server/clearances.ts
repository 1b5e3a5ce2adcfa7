import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import { refresh } from '#platform/contract/sockets/lobby.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
import {
  clearanceGranted,
  clearanceRevoked,
  decideClearance,
  evidenceMissing,
  listClearances,
  ownClearance,
  performerUnknown,
} from '../contract.ts';
import { clearanceEvidence } from '../extension-points.ts';
import { CLEARANCE_DAYS, CLEARANCES_PER_PAGE } from '../rules.ts';
import {
  clearancePage,
  enrol,
  insertClearance,
  revokeClearance,
  statusOf,
  validClearance,
} from '../store.ts';
import type { ComplianceDependencies } from './dependencies.ts';

export const CLEARANCE_EXPIRY = 'compliance.clearanceExpiry';

export const keyOf = (performerId: number): string => `performer:${performerId}`;

export const publishRevoked = (tx: Tx, { id, username }: Person): Promise<void> =>
  tx.publish(clearanceRevoked, keyOf(id), { performerId: id, username });

/** Whether somebody needs a decision: a performer, or a person who handed in documents. */
export const isListed = async (tx: Tx, { id, type }: Person): Promise<boolean> =>
  type === 'model' || (await statusOf(tx, id)) !== null;

/** Stores the evidence and its audit entry; returns the clearance's id. The only way to clear a performer. */
export async function clearPerson(
  tx: Tx,
  person: Person,
  decidedBy: number | null,
  reason: string,
): Promise<number> {
  await enrol(tx, person.id, person.createdAt);
  const expiresAt = new Date(tx.now.getTime() + CLEARANCE_DAYS * DAY_MS);
  const id = await insertClearance(tx, { performerId: person.id, decidedBy, reason, expiresAt });
  await tx.schedule({ kind: CLEARANCE_EXPIRY, key: String(id), at: expiresAt });
  await tx.audit({
    action: 'compliance.clear',
    actorId: decidedBy,
    subject: `person:${person.id}`,
    reason,
    detail: { clearanceId: id },
  });
  await tx.publish(clearanceGranted, keyOf(person.id), { performerId: person.id, username: person.username });
  return id;
}

/** Revokes a clearance, or rejects a person without one; subscribers end a running stream. */
async function revokePerson(tx: Tx, person: Person, decidedBy: number | null, reason: string): Promise<void> {
  await enrol(tx, person.id, person.createdAt);
  const ended = await revokeClearance(tx, person.id, decidedBy, reason);
  if (ended !== null) {
    await tx.unschedule(CLEARANCE_EXPIRY, String(ended));
    await publishRevoked(tx, person);
  }
  await tx.audit({
    action: 'compliance.revoke',
    actorId: decidedBy,
    subject: `person:${person.id}`,
    reason,
    detail: { clearanceId: ended },
  });
}

/** Emails a performer in their language that they may go live. */
const writeCleared = (
  { notices }: Pick<ComplianceDependencies, 'notices'>,
  tx: Tx,
  personId: number,
  said: { readonly site: string; readonly link: string },
): Promise<void> =>
  notices.sendTo(tx, personId, {
    kind: 'compliance:mails.cleared',
    locale: DEFAULT_LOCALE,
    values: () => said,
  });

export function clearanceHandlers(deps: ComplianceDependencies): CallHandler[] {
  const { data, accounts, site, extensions } = deps;
  return [
    handleCall(listClearances)(async ({ status, page = 1 }, { scope }) =>
      data.tx(scope, async (tx) => {
        const { lines, total } = await clearancePage(tx, status, page);
        const ids = lines.flatMap((line) => [line.performer_id, line.decided_by ?? line.performer_id]);
        const people = await accounts.findMany(tx, [...new Set(ids)]);
        return {
          lines: lines.map((line) => {
            const person = people.get(line.performer_id);
            if (!person) throw new Error(`performer ${line.performer_id} has a clearance and no account`);
            return {
              username: person.username,
              display_name: person.displayName,
              birth_date: person.birthDate,
              registered_at: line.registered_at.toISOString(),
              status: line.status,
              decided_at: line.decided_at?.toISOString() ?? null,
              decided_by: people.get(line.decided_by ?? 0)?.username ?? null,
            };
          }),
          page,
          pages: Math.max(1, Math.ceil(total / CLEARANCES_PER_PAGE)),
          total,
        };
      })
    ),
    handleCall(decideClearance)(async ({ username, decision, reason }, context) => {
      const { scope, caller, refuse } = context;
      const { display_name: siteName } = await site.viewOf(scope);
      const said = { site: siteName, link: `${site.linkOrigin(context.origin)}/go-live` };
      return data.tx(scope, async (tx) => {
        const person = await accounts.findByUsername(tx, normalizeUsername(username));
        if (!person || !(await isListed(tx, person))) return refuse(performerUnknown);
        if (person.id === caller.personId) return refuse(ownClearance);
        if (decision === 'clear' && person.type === 'model') {
          if (await extensions.one(clearanceEvidence).isRequired(tx)) return refuse(evidenceMissing);
        }
        // The person's open pages show the decision before this one, so they reload.
        await tx.send(personChannel(person.id), refresh, {});
        if (decision === 'clear') {
          const wasCleared = await validClearance(tx, person.id) !== null;
          const id = await clearPerson(tx, person, caller.personId, reason);
          // The page promised this email to performers who wait.
          if (person.type === 'model' && !wasCleared) await writeCleared(deps, tx, person.id, said);
          return { status: 1 as const, clearance_id: id };
        }
        await revokePerson(tx, person, caller.personId, reason);
        return { status: 1 as const, clearance_id: null };
      });
    }),
  ];
}
