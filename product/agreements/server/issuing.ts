import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { personRegistered } from '#product/accounts/contract.ts';
import { becamePerformer } from '#product/accounts/contract/performing.ts';
import type { Person } from '#product/accounts/server.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import { DEFAULT_LOCALE, isLocale, type Locale } from '#product/site/rules.ts';
import { fillTemplate, ROLLOUT_BATCH, SECRET_BITS, SIGN_DAYS, type DocumentKind } from '../rules.ts';
import { holdersOf, insertDocument, insertEvent, markEnded, newestOf, type LineRow } from '../store.ts';
import { currentVersion, textOf } from '../store/templates.ts';
import type { AgreementsDependencies } from './dependencies.ts';
import { sha256 } from './proof.ts';

/** To the person who is to sign. On the site and by email always: a deadline runs. */
export const ISSUED: NoticeKind = {
  name: 'agreements:notices.issued',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'email'],
  required: ['app', 'email'],
};

/** Deadline at which an open document expires; its key is the document. */
export const EXPIRY = 'agreements.expiry';
/** Deadline for the next people who get a new version. */
const ROLLOUT = 'agreements.rollout';

export interface IssueOptions {
  /** The person’s own language if left out. */
  readonly language?: Locale | undefined;
  readonly signDays?: number | undefined;
  /** The admin who issues it; null for the site itself. */
  readonly actorId?: number | null | undefined;
}
/** A document, and whether it was made now. */
export interface Issued {
  readonly id: number;
  readonly isNew: boolean;
}

/**
 * Issues the current version of a kind to a person, and notifies them. Somebody who has signed that version,
 * or can sign it now, keeps that document; an open one of an earlier version is withdrawn. Null where no
 * version is published.
 */
export async function issue(
  deps: AgreementsDependencies,
  tx: Tx,
  person: Person,
  kind: DocumentKind,
  { language, signDays = SIGN_DAYS, actorId = null }: IssueOptions = {},
): Promise<Issued | null> {
  await tx.lock('agreements.person', person.id);
  const version = await currentVersion(tx, kind);
  if (version === null) return null;
  const own = await newestOf(tx, person.id, kind, 'signed');
  if (own?.version === version) return { id: own.id, isNew: false };
  const open = await newestOf(tx, person.id, kind, 'open');
  if (open?.version === version && open.expiresAt > tx.now) return { id: open.id, isNew: false };
  if (open) await endsFor(tx, open);
  const home = (await deps.notices.recipientsOf(tx, [person.id])).get(person.id);
  if (!home) throw new Error(`person ${person.id} cannot be notified of a document`);
  const wanted = language ?? (home.locale !== null && isLocale(home.locale) ? home.locale : DEFAULT_LOCALE);
  const template = await textOf(tx, kind, wanted, version) ?? await textOf(tx, kind, DEFAULT_LOCALE, version);
  if (!template) throw new Error(`version ${version} of ${kind} has no text in ${DEFAULT_LOCALE}`);
  const { name, address, brand } = await deps.site.sellerIn(tx, home.siteId);
  const values = {
    company: name,
    address,
    site: brand,
    username: person.username,
    date: new Intl.DateTimeFormat(template.language, { dateStyle: 'long', timeZone: 'UTC' }).format(tx.now),
  };
  const text = fillTemplate(template.text, values);
  const expiresAt = new Date(tx.now.getTime() + signDays * DAY_MS);
  const title = fillTemplate(template.title, values);
  const id = await insertDocument(tx, {
    personId: person.id,
    kind,
    version,
    language: template.language,
    title,
    text,
    textSha256: sha256(text),
    secret: randomId(SECRET_BITS),
    expiresAt,
  });
  await insertEvent(tx, id, 'issued', { actorId });
  await tx.schedule({ kind: EXPIRY, key: String(id), at: expiresAt });
  await deps.notices.notify(tx, {
    personId: person.id,
    kind: ISSUED.name,
    values: { title },
    link: `/legal/document/${id}`,
    once: `agreement:${id}`,
  });
  return { id, isNew: true };
}

/** Ends an open document that a newer one replaces. */
async function endsFor(tx: Tx, { id, expiresAt }: LineRow): Promise<void> {
  const status = expiresAt > tx.now ? 'withdrawn' : 'expired';
  await markEnded(tx, id, status);
  await insertEvent(tx, id, status, { actorId: null });
  await tx.unschedule(EXPIRY, String(id));
}

/** Ends an open document by an admin; false when it is not open. */
export async function withdraw(tx: Tx, id: number, actorId: number, reason: string): Promise<boolean> {
  if (!(await markEnded(tx, id, 'withdrawn'))) return false;
  await insertEvent(tx, id, 'withdrawn', { actorId, reason });
  await tx.unschedule(EXPIRY, String(id));
  return true;
}

interface Rollout {
  readonly kind: DocumentKind;
  readonly version: number;
  readonly signDays: number;
  /** Id of the last person who has it. */
  readonly after: number;
}

/** Issues a version to the people after one, a page at a time: each page is a unit of work. */
export const startRollout = (tx: Tx, rollout: Rollout): Promise<void> =>
  tx.schedule({
    kind: ROLLOUT,
    key: `${rollout.kind}:${rollout.version}:${rollout.after}`,
    at: tx.now,
    payload: rollout,
  });

/** Who must have the documents of a kind: performers their agreement, everybody else what they had before. */
async function mustHave(
  { accounts }: AgreementsDependencies,
  tx: Tx,
  { kind, after }: Rollout,
): Promise<Person[]> {
  if (kind === 'performer_agreement') return [...await accounts.listPerformers(tx, after, ROLLOUT_BATCH)];
  const ids = await holdersOf(tx, kind, after, ROLLOUT_BATCH);
  const people = await accounts.findMany(tx, ids);
  return ids.flatMap((id) => people.get(id) ?? []);
}

export const issuingDeadlines = (deps: AgreementsDependencies): DeadlineHandler[] => [
  {
    kind: EXPIRY,
    handle: ({ operatorId, key }) =>
      deps.data.tx({ operatorId }, async (tx) => {
        const id = Number(key);
        if (await markEnded(tx, id, 'expired')) await insertEvent(tx, id, 'expired', { actorId: null });
      }),
  },
  {
    kind: ROLLOUT,
    handle: ({ operatorId, payload }) =>
      deps.data.tx({ operatorId }, async (tx) => {
        const rollout = payload as Rollout;
        const { kind, version, signDays } = rollout;
        // A version published meanwhile is issued by a rollout of its own.
        if (await currentVersion(tx, kind) !== version) return;
        const people = await mustHave(deps, tx, rollout);
        for (const person of people) {
          if (person.inactiveSince === null) await issue(deps, tx, person, kind, { signDays });
        }
        const last = people.at(-1);
        if (last && people.length === ROLLOUT_BATCH) await startRollout(tx, { ...rollout, after: last.id });
      }),
  },
];

/** Performers get their agreement when they become one. */
export function issuingSubscriptions(deps: AgreementsDependencies): Subscription[] {
  const issueTo = (operatorId: number, personId: number) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const person = await deps.accounts.findById(tx, personId);
      if (person) await issue(deps, tx, person, 'performer_agreement');
    });
  return [
    subscribe(personRegistered, 'agreements.registered')(async ({ operatorId, payload }) => {
      if (payload.type === 'model') await issueTo(operatorId, payload.personId);
    }),
    subscribe(becamePerformer, 'agreements.becamePerformer')(async ({ operatorId, payload }) => {
      await issueTo(operatorId, payload.personId);
    }),
  ];
}
