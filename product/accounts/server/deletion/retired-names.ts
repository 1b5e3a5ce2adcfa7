import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { bareLookOf, skeletonOf } from '../../rules/life/usernames.ts';
import { isRetired, wasPerformer, type RetiredName } from '../../store/life/deletion.ts';

/** Usernames of erased people, stored only as keyed digests. */
export class RetiredNames {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** @param username lower case */
  of({ operatorId }: OperatorScope, username: string): RetiredName {
    const keyed = (use: string, text: string): string =>
      digest(this.#secret, `accounts retired ${use} of operator ${operatorId}`, text);
    return {
      digest: keyed('name', username),
      skeletonDigest: keyed('look', skeletonOf(username)),
      bareDigest: keyed('bare look', bareLookOf(username)),
    };
  }

  /** Whether a name is still reserved, as it looks like an erased person's, with or without separators. */
  isTaken(tx: Tx, username: string): Promise<boolean> {
    return isRetired(tx, this.of(tx, username));
  }

  /** Whether it was the name of an erased performer. */
  wasPerformer(tx: Tx, username: string): Promise<boolean> {
    return wasPerformer(tx, this.of(tx, username));
  }
}
