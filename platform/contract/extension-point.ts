/**
 * An extension point is an interface that a slice declares and later slices implement. A required one must be
 * implemented, or the site does not start. An optional one states what happens without an implementer and why
 * that is safe. `single` takes one implementer; `many` takes any number, called in the order of the slices.
 */
export interface ExtensionPoint<Shape> {
  /** `slice.name`, unique. */
  readonly name: string;
  readonly description: string;
  readonly kind: 'required' | 'optional';
  readonly implementers: 'single' | 'many';
  /** What happens without an implementer, and why that is safe; null for a required one. */
  readonly unimplemented: Unimplemented | null;
  /** Further reasons, besides the number of implementers, why the site must not start; one sentence each. */
  readonly errorsOf?: ErrorsOf<unknown>;
  /** Carries the type alone; never set. */
  readonly shape?: Shape;
}
export type AnyExtensionPoint = ExtensionPoint<unknown>;

export interface SinglePoint<Shape> extends ExtensionPoint<Shape> {
  readonly implementers: 'single';
  /** Used without an implementer; null for a required one. */
  readonly fallback: Shape | null;
}
export interface ManyPoint<Shape> extends ExtensionPoint<Shape> {
  readonly implementers: 'many';
}

/** An implementation, and the name of its slice. */
export interface Implementer<Shape> {
  readonly by: string;
  readonly implementation: Shape;
}
type ErrorsOf<Shape> = (implementers: readonly Implementer<Shape>[]) => readonly string[];

/** How an optional extension point behaves without an implementer. */
export interface Unimplemented {
  /** What happens without an implementer. */
  readonly byDefault: string;
  /** Why that is safe: it grants, bans, charges or shows nothing to anybody. */
  readonly safeBecause: string;
  /** Milestone of docs/roadmap.md that implements it; for a point that no slice implements yet. */
  readonly milestone?: number;
}
type Named = Pick<AnyExtensionPoint, 'name' | 'description'>;

const optionalOf = ({ byDefault, safeBecause, milestone, name, description }: Named & Unimplemented) =>
  ({ name, description, kind: 'optional', unimplemented: { byDefault, safeBecause, milestone } }) as const;

/** The site does not start unless these are implemented. `Shape` is a function or an object of functions. */
export const required = {
  single: <Shape>(named: Named): SinglePoint<Shape> => ({
    ...named,
    kind: 'required',
    implementers: 'single',
    unimplemented: null,
    fallback: null,
  }),
  many: <Shape>(named: Named): ManyPoint<Shape> => ({
    ...named,
    kind: 'required',
    implementers: 'many',
    unimplemented: null,
  }),
};

/** Need not be implemented; a `single` point then uses its fallback, a `many` point calls nothing. */
export const optional = {
  single: <Shape>(
    { fallback, ...declared }: Named & Unimplemented & { readonly fallback: Shape },
  ): SinglePoint<Shape> => ({ ...optionalOf(declared), implementers: 'single', fallback }),
  many: <Shape>(
    { errorsOf: errors, ...declared }: Named & Unimplemented & { readonly errorsOf?: ErrorsOf<Shape> },
  ): ManyPoint<Shape> => ({
    ...optionalOf(declared),
    implementers: 'many',
    errorsOf: errors as ErrorsOf<unknown> | undefined,
  }),
};

/** An extension point bound to its implementation; slices return these as `extensions`. */
export interface Implementation {
  readonly point: AnyExtensionPoint;
  readonly implementation: unknown;
}

export const implement = <Shape>(
  point: ExtensionPoint<Shape>,
  implementation: NoInfer<Shape>,
): Implementation => ({ point, implementation });

/** The extension points that a slice declares and implements. */
export interface Extending {
  readonly name: string;
  /** Everything in its extension-points.ts. */
  readonly extensionPoints?: Readonly<Record<string, AnyExtensionPoint>>;
  readonly extensions?: readonly Implementation[];
}

/** The implementations of one site. Read them on use: there are none yet while slices are built. */
export interface Extensions {
  readonly one: <Shape>(point: SinglePoint<Shape>) => Shape;
  /** In the order of the slices. */
  readonly all: <Shape>(point: ManyPoint<Shape>) => readonly Shape[];
}

/** Collects what the slices implement. */
export class ExtensionRegistry implements Extensions {
  #implemented: ReadonlyMap<AnyExtensionPoint, readonly unknown[]> | null = null;

  /** Adds the declarations and implementations of all slices. Throws one error that names every problem. */
  connect(slices: readonly Extending[]): void {
    const errors = errorsOf(slices);
    if (errors.length > 0) throw new Error(`extension points: ${errors.join('; ')}`);
    const implemented = new Map<AnyExtensionPoint, unknown[]>();
    for (const { extensions = [] } of slices) {
      for (const { point, implementation } of extensions) {
        implemented.set(point, [...implemented.get(point) ?? [], implementation]);
      }
    }
    this.#implemented = implemented;
  }

  readonly one: Extensions['one'] = <Shape>(point: SinglePoint<Shape>): Shape => {
    const [implementation] = this.#of(point);
    if (implementation !== undefined) return implementation;
    if (point.fallback === null) throw new Error(`${point.name} is required and nothing implements it`);
    return point.fallback;
  };

  readonly all: Extensions['all'] = (point) => this.#of(point);

  #of<Shape>(point: ExtensionPoint<Shape>): readonly Shape[] {
    if (!this.#implemented) throw new Error(`${point.name} was read while the site was being built`);
    return (this.#implemented.get(point) ?? []) as Shape[];
  }
}

/** What is wrong with the declarations and implementations of a site, one sentence each. */
function errorsOf(slices: readonly Extending[]): string[] {
  const declared = slices.flatMap(({ name, extensionPoints = {} }) =>
    Object.values(extensionPoints).map((point) => ({ owner: name, point }))
  );
  const implementations = slices.flatMap(({ name, extensions = [] }) =>
    extensions.map(({ point, implementation }) => ({ by: name, point, implementation }))
  );
  const owners = new Map(declared.map(({ owner, point }) => [point, owner]));
  const byName = new Map(declared.map(({ point }) => [point.name, point]));
  return [
    ...declared.flatMap(({ owner, point }) => {
      const own = implementations.filter((implementation) => implementation.point === point);
      return [
        ...point.name.startsWith(`${owner}.`) ? [] : [`${owner} declares ${point.name} of another slice`],
        ...byName.get(point.name) === point ? [] : [`${point.name} is declared twice`],
        ...errorsOfPoint(point, owner, own.map(({ by }) => by)),
        ...(point.errorsOf?.(own) ?? []).map((error) => `${point.name} of the slice ${owner}: ${error}`),
      ];
    }),
    ...implementations.filter(({ point }) => !owners.has(point)).map(({ by, point }) =>
      `${by} implements ${point.name}, which no slice declares`
    ),
    ...implementations.filter(({ by, point }) => owners.get(point) === by).map(({ by, point }) =>
      `${by} implements its own ${point.name}: call it`
    ),
  ];
}

function errorsOfPoint(
  { name, kind, implementers }: AnyExtensionPoint,
  owner: string,
  by: readonly string[],
): string[] {
  if (by.length === 0 && kind === 'required') {
    return [`${name} of the slice ${owner} is required and no slice implements it`];
  }
  return by.length > 1 && implementers === 'single'
    ? [`${name} of the slice ${owner} takes one implementer and has ${by.length}: ${by.join(', ')}`]
    : [];
}
