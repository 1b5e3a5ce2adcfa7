import type { CallContext } from '#platform/contract/context.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { relationsChanged } from '#product/messaging/server.ts';
import type { BrowseDependencies, BrowseViewer } from './dependencies.ts';
import type { Sees } from './directory/directory.ts';

/** Members whose follows and hides a process caches: those of a busy evening. */
const MAX_PEOPLE = 20_000;
/** Audiences whose function a process caches: regions times gates, plus performers. */
const MAX_AUDIENCES = 2_000;
/** An id that no performer has: used to compute what a viewer perceives of others. */
const OTHERS = 0;
/** Messages invalidate the cache; this limits the effect of a lost one. */
const RELATIONS_MS = 5 * MINUTE_MS;

interface Relations {
  readonly followed: ReadonlySet<number>;
  readonly hidden: ReadonlySet<number>;
}
const NONE: Relations = { followed: new Set(), hidden: new Set() };

const keyOf = (operatorId: number, personId: number): string => `${operatorId} ${personId}`;

/** The viewer of a request: performers they may perceive, follow and hide. */
export class Viewers {
  readonly #deps: BrowseDependencies;
  readonly #relations = new Remembered<Promise<Relations>>(MAX_PEOPLE);
  readonly #audiences = new Remembered<Sees>(MAX_AUDIENCES);
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
    const { scope: { operatorId }, caller: { kind, personId } } = context;
    const relations = kind === 'person' && personId !== null ? await this.#of(operatorId, personId) : NONE;
    return { ...this.audienceOf(context), personId, ...relations };
  }

  /** The performers a viewer perceives, as one function per audience; without a query. */
  audienceOf(context: CallContext): Pick<BrowseViewer, 'audience' | 'sees'> {
    const { compliance } = this.#deps;
    const viewer = compliance.viewerOf(context);
    const { caller } = viewer;
    // Performers perceive themselves; for all other entries it does not matter who the viewer is.
    const personId = caller.roles.includes('performer') ? caller.personId : null;
    const audience = `${compliance.visibilityKeyOf(viewer, OTHERS)} ${personId ?? ''}`;
    const known = this.#audiences.get(audience, 0, Number.POSITIVE_INFINITY);
    if (known) return { audience, sees: known };
    const perceives = compliance.seesOf({ ...viewer, caller: { ...caller, personId } });
    const sees: Sees = ({ id, state }) => perceives(id, state);
    this.#audiences.set(audience, sees, 0);
    return { audience, sees };
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #of(operatorId: number, personId: number): Promise<Relations> {
    const { data, messaging } = this.#deps;
    const now = data.clock.now().getTime();
    return this.#relations.ask(
      keyOf(operatorId, personId),
      now,
      RELATIONS_MS,
      () =>
        data.tx({ operatorId }, async (tx) => ({
          followed: new Set(await messaging.followedBy(tx, personId)),
          hidden: new Set(await messaging.hiddenBy(tx, personId)),
        })),
    );
  }
}
