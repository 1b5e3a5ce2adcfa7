import { useEntryChanges } from './live.ts';

/** Follows what the entry gate requires; a component of its own, so that only it is rendered again. */
export default function EntryChanges() {
  useEntryChanges();
  return null;
}
