import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Scope } from '#platform/contract/context.ts';
import { event, topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import type { RoomWords } from '#product/rooms/extension-points.ts';
import { z } from 'zod';
import {
  changeSeoExperiment,
  getRoomWords,
  getSeoExperiment,
  seoNamesUnknown,
} from '../../contract/trackers.ts';
import { SHOWN_UNKNOWN_NAMES, wordingOf } from '../../rules/reports/seo-words.ts';
import { listSeoPerformers, listSeoVisits, saveSeoPerformers } from '../../store/trackers.ts';
import type { BrowseDependencies, Browsing } from '../dependencies.ts';
import { publicEntry } from '../sharing/public.ts';
import type { SeoVisits } from './seo-visits.ts';

/** Between processes only: the list of an operator was changed. No socket can join this topic. */
const seoChannel = topicChannel('internal.seo');
const seoListChanged = event({
  name: 'internal.seo',
  socket: 'room',
  from: 'server',
  shape: z.object({}),
  description: 'Who takes part in the SEO experiment of this operator is out of date.',
});

/** Operators whose list a process caches. */
const MAX_OPERATORS = 1_000;

/** Performers in the SEO experiment: read once, and again after a change. */
export class SeoExperiment {
  readonly #deps: BrowseDependencies;
  readonly #lists = new Remembered<Promise<ReadonlySet<number>>>(MAX_OPERATORS);
  readonly #stops: readonly (() => void)[];

  constructor(deps: BrowseDependencies) {
    this.#deps = deps;
    this.#stops = [
      deps.bus.subscribe(({ operatorId, name }) => {
        if (name === seoListChanged.name) this.forget(operatorId);
      }),
      deps.bus.restored(() => this.#lists.dropWhere(() => true)),
    ];
  }

  /** Ids of the performers. If a message is lost, a change is seen up to a minute late. */
  idsOf(tx: Tx): Promise<ReadonlySet<number>> {
    return this.#lists.ask(
      String(tx.operatorId),
      tx.now.getTime(),
      MINUTE_MS,
      async () => new Set(await listSeoPerformers(tx)),
    );
  }

  /** This process changed the list, so it need not wait for the message. */
  forget(operatorId: number): void {
    this.#lists.delete(String(operatorId));
  }

  /** The words of a room in the experiment; null for all others. */
  async wordsOf(
    tx: Tx,
    { id, displayName: name }: { readonly id: number; readonly displayName: string },
    locale: string,
  ): Promise<(RoomWords & { readonly wording: ReturnType<typeof wordingOf> }) | null> {
    if (!(await this.idsOf(tx)).has(id)) return null;
    const { text } = this.#deps;
    const wording = wordingOf(id);
    return {
      title: text(locale, `browse:seoWords.${wording}.title`, { name }),
      description: text(locale, `browse:seoWords.${wording}.description`, { name }),
      wording,
    };
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}

export function seoHandlers(
  browsing: Browsing,
  experiment: SeoExperiment,
  visits: SeoVisits,
): CallHandler[] {
  const { data, accounts, compliance, text, siteNameOf } = browsing;
  const viewIn = async (tx: Tx): Promise<OutputOf<typeof getSeoExperiment>> => {
    const people = await accounts.findMany(tx, await listSeoPerformers(tx));
    const performers = [...people.values()].map(({ id, username }) => ({ username, wording: wordingOf(id) }));
    return {
      performers: performers.toSorted((a, b) => (a.username < b.username ? -1 : 1)),
      visits: [...await listSeoVisits(tx)],
    };
  };
  return [
    handleCall(getSeoExperiment)(async (_input, { scope }) => {
      // Shows this process's latest counts at once; those of other processes lag by up to half a minute.
      await visits.flush();
      return data.tx(scope, viewIn);
    }),
    handleCall(changeSeoExperiment)(async ({ usernames, reason }, { scope, caller, refuse }) => {
      const changed = await data.tx(scope, async (tx) => {
        const names = [...new Set(usernames.map(normalizeUsername))];
        const { ids, unknown } = await performersNamed(tx, accounts, names);
        if (unknown.length > 0) {
          const more = unknown.length > SHOWN_UNKNOWN_NAMES ? ', …' : '';
          return refuse(seoNamesUnknown, {
            values: { names: unknown.slice(0, SHOWN_UNKNOWN_NAMES).join(', ') + more },
          });
        }
        const before = await viewIn(tx);
        await saveSeoPerformers(tx, ids);
        const now = await viewIn(tx);
        const listOf = (view: typeof now): string =>
          JSON.stringify(view.performers.map(({ username }) => username));
        await tx.audit({
          action: changeSeoExperiment.name,
          actorId: caller.personId,
          reason,
          subject: `operator:${tx.operatorId}`,
          detail: {
            fields: listOf(before) === listOf(now)
              ? []
              : [{ name: 'usernames', before: listOf(before), after: listOf(now) }],
          },
        });
        await tx.send(seoChannel, seoListChanged, {});
        return now;
      });
      experiment.forget(scope.operatorId);
      return changed;
    }),
    handleCall(getRoomWords)(async ({ username }, context) => {
      const { scope, locale, region } = context;
      if (compliance.policyOf(scope, region).rule === 'blocked') {
        return { words: null, card: null, movedTo: null };
      }
      const movedTo = await newNameOf(browsing, scope, username);
      const entry = await publicEntry(browsing, scope, username);
      if (!entry) return { words: null, card: null, movedTo };
      const { displayName: name } = entry;
      const card = {
        username: entry.username,
        displayName: name,
        title: text(locale, 'rooms:seo.title', { name }),
        description: text(locale, 'rooms:seo.description', { name }),
      };
      const words = await data.tx(scope, (tx) => experiment.wordsOf(tx, entry, locale));
      if (!words) return { words: null, card, movedTo };
      const siteName = await siteNameOf(context);
      return {
        words: {
          ...words,
          username: entry.username,
          displayName: entry.displayName,
          metaTitle: text(locale, 'browse:seo.metaTitle', { title: words.title, site: siteName }),
        },
        card,
        movedTo,
      };
    }),
  ];
}

/** The current username of a public performer found by an earlier one; null if the name is current. */
async function newNameOf(browsing: Browsing, scope: Scope, named: string): Promise<string | null> {
  const username = normalizeUsername(named);
  if ((await browsing.directoryOf(scope.operatorId)).named(username)) return null;
  const person = await browsing.data.tx(scope, (tx) => browsing.accounts.findByUsername(tx, username));
  if (person?.type !== 'model' || person.username === username) return null;
  return (await publicEntry(browsing, scope, person.username))?.username ?? null;
}

/** Ids of the performers with these names, and the names that nobody has. */
async function performersNamed(
  tx: Tx,
  accounts: Browsing['accounts'],
  names: readonly string[],
): Promise<{ readonly ids: readonly number[]; readonly unknown: readonly string[] }> {
  const [ids, unknown]: [number[], string[]] = [[], []];
  for (const name of names) {
    const person = await accounts.findByUsername(tx, name);
    if (person?.type === 'model') ids.push(person.id);
    else unknown.push(name);
  }
  return { ids, unknown };
}
