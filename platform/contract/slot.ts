/**
 * A slot is an interface an earlier slice declares with a safe default and later slices fill in the wiring
 * list. A slot collects: its default answers when nothing fills it, `first` asks in filling order, `all` asks
 * everyone.
 */
export interface Slot<Shape> {
  readonly name: string;
  readonly description: string;
  readonly fallback: Shape;
}

/**
 * Declares a slot. `Shape` is a function or an object of functions, asynchronous where it may touch the
 * store.
 */
export function slot<Shape>(definition: Slot<Shape>): Slot<Shape> {
  return definition;
}

/** The fillings of one site; built by the wiring, handed to each slice. */
export class Slots {
  readonly #filled = new Map<string, unknown[]>();

  fill<Shape>(target: Slot<Shape>, filling: Shape): void {
    this.#filled.set(target.name, [...(this.#filled.get(target.name) ?? []), filling]);
  }

  /** The single filling, or the fallback. Call it when needed, not while wiring. */
  one<Shape>(target: Slot<Shape>): Shape {
    const filled = this.#filled.get(target.name) as Shape[] | undefined;
    if (filled && filled.length > 1) throw new Error(`slot ${target.name} is filled ${filled.length} times`);
    return filled?.[0] ?? target.fallback;
  }

  /** Every filling in wiring order; empty when none. */
  all<Shape>(target: Slot<Shape>): readonly Shape[] {
    return (this.#filled.get(target.name) as Shape[] | undefined) ?? [];
  }
}
