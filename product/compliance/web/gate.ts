import { useRead } from '#platform/ui/calls/calls.ts';
import { getEntry } from '../client.ts';
import type { GateState } from '../rules.ts';

/** State of the entry gate for this browser; `blocked` until loaded. */
export function useGate(): { readonly gate: GateState; readonly minimumAge: number } {
  const { data } = useRead(getEntry, {});
  return { gate: data?.gate ?? 'blocked', minimumAge: data?.minimumAge ?? 18 };
}
