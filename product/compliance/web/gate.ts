import { useRead } from '#platform/ui/calls/calls.ts';
import { getEntry } from '../client.ts';
import type { GateState } from '../rules.ts';

/** State of the entry gate for this browser; `blocked` until loaded. */
export function useGate(): {
  readonly gate: GateState;
  readonly minimumAge: number;
  /** What the law of the place wants people to read; null for nothing. */
  readonly notice: string | null;
} {
  const { data } = useRead(getEntry, {});
  return { gate: data?.gate ?? 'blocked', minimumAge: data?.minimumAge ?? 18, notice: data?.notice ?? null };
}
