import type { CallContext } from '../../../platform/contract/context.ts';
import { Remembered } from '../../../platform/data/remembered.ts';
import { MINUTE_MS } from '../../../platform/time/units.ts';
import { relationsChanged } from '../../messaging/server.ts';
import type { BrowseDependencies, BrowseViewer } from './dependencies.ts';

/** Members whose follows and hides a process remembers: those of a busy evening. */
const MAX_PEOPLE = 20_000;
/** Messages say when they change; this bounds what a lost one can do. */
const RELATIONS_MS = 5 * MINUTE_MS;

interface Relations {
  readonly followed: ReadonlySet<number>;
  readonly hidden: ReadonlySet<number>;
}
const NONE: Relations = { followed: new Set(), hidden: new Set() };

const keyOf = (operatorId: number, personId: number): string => `${operatorId} ${personId}`;

/** Who asks for listings: what they may perceive, and whom they follow and hide. */
export class Viewers {
  readonly #deps: BrowseDependencies;
  readonly #relations = new Remembered<Promise<Relations>>(MAX_PEOPLE);
  readonly #stops: readonly (() => void)[];

  constructor(deps: BrowseDependencies) {
    this.#deps = deps;
    this.#stops = [
      deps.bus.subscribe(({ operatorId, name, payload }) => {
        if (name !== relationsChanged.name) return;
        this.#relations.delete(keyOf(operatorId, (payload as { personId: number }).personId));
      }),
      deps.bus.restored(() => this.#relations.dropWhere(() => true)),
    ];
  }

  async of(context: CallContext): Promise<BrowseViewer> {
    const { compliance } = this.#deps;
    const { scope: { operatorId }, caller: { kind, personId } } = context;
    const sees = compliance.seesOf(compliance.viewerOf(context));
    const relations = kind === 'person' && personId !== null ? await this.#of(operatorId, personId) : NONE;
    return { sees: ({ id, state }) => sees(id, state), personId, ...relations };
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #of(operatorId: number, personId: number): Promise<Relations> {
    const { data, messaging } = this.#deps;
    const now = data.clock.now().getTime();
    return this.#relations.ask(keyOf(operatorId, personId), now, RELATIONS_MS, () =>
      data.tx({ operatorId }, async (tx) => ({
        followed: new Set(await messaging.followedBy(tx, personId)),
        hidden: new Set(await messaging.hiddenBy(tx, personId)),
      })));
  }
}
