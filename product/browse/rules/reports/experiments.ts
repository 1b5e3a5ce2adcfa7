/** Each experiment compares four variants, each for a quarter of the visitors (spec 3 §9). */
export const VARIANTS = ['a', 'b', 'c', 'd'] as const;
export type Variant = (typeof VARIANTS)[number];

/** The variant outside any experiment. */
export const CONTROL: Variant = 'a';

/** Running experiments. `likeInvitation`: the words above the most-liked board that invite to like. */
export const EXPERIMENTS = ['likeInvitation'] as const;
export type Experiment = (typeof EXPERIMENTS)[number];

/** Experiment groups by the person's id mod 100, ten ids each, in this order (spec 2 §9). */
export const BUCKETS = ['D', 'C', 'B', 'A7', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'] as const;
export type Bucket = (typeof BUCKETS)[number];
const IDS_PER_BUCKET = 10;

export function bucketOf(personId: number): Bucket {
  const bucket = BUCKETS[Math.floor((personId % 100) / IDS_PER_BUCKET)];
  if (bucket === undefined) throw new Error(`${personId} is no id`);
  return bucket;
}

/** Identifies who draws a variant: the account on every device, else the session, else the IP address. */
export const visitorKey = (
  { personId, sessionId }: { readonly personId: number | null; readonly sessionId: string | null },
  address: string,
): string => (personId === null ? `session:${sessionId ?? address}` : `person:${personId}`);

/** FNV-1a with the finisher of Murmur3: spreads short texts evenly over 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Which half a text belongs to. */
export const halfOf = (text: string): 0 | 1 => (hashOf(text) % 2 === 0 ? 0 : 1);

/**
 * A viewer's variant: the same for the same viewer, drawn separately for each experiment. It needs no cookie
 * of its own.
 * @param visitor a {@link visitorKey}
 */
export function variantOf(experiment: Experiment, visitor: string): Variant {
  const variant = VARIANTS[hashOf(`${experiment}:${visitor}`) % VARIANTS.length];
  if (variant === undefined) throw new Error('a remainder is below its divisor');
  return variant;
}
