import type { z } from 'zod';

/**
 * Something that happened, published by the slice that owns it and handled by later slices (or by itself).
 * Written to the outbox in the unit of work that made it true, delivered at least once, in order per key.
 */
export interface Fact<Shape extends z.ZodType = z.ZodType> {
  /** `slice.pastTense`, e.g. `tips.received`. */
  readonly name: string;
  readonly shape: Shape;
  readonly description: string;
}

export type AnyFact = Fact;
export type FactPayload<F extends AnyFact> = z.infer<F['shape']>;

/** Declares a fact as a constant of a slice's `contract.ts`. */
export function fact<Shape extends z.ZodType>(definition: Fact<Shape>): Fact<Shape> {
  return definition;
}

/** A fact as its handlers receive it. Handlers are idempotent by `id`. */
export interface DeliveredFact<F extends AnyFact> {
  readonly id: string;
  readonly operatorId: number;
  readonly at: Date;
  readonly payload: FactPayload<F>;
}
