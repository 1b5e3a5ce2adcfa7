import { removeStored, type Blobs } from '#platform/data/blobs.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import {
  decryptBytes,
  encryptBytes,
  newDataKey,
  unwrapKey,
  wrapKey,
  wrappingKey,
  type WrappingKey,
} from '#platform/data/database/envelope.ts';
import { digest } from '#platform/data/database/seal.ts';
import { indexedName, REWRAP_PAGE, type DocumentKind } from '../rules.ts';
import {
  deleteKey,
  deleteRecord,
  deleteReplaced,
  emptyRecords,
  findKey,
  findRecord,
  insertKey,
  insertReplacedPicture,
  isEvidence,
  keysToWrapAgain,
  replaceRecord,
  saveKey,
  saveNames,
  savePicture,
  type RecordKind,
  type StoredKey,
  type StoredRecord,
} from '../store/vault.ts';

/** What the first step holds. */
export interface WhoFacts {
  readonly legalName: string;
  readonly birthDate: string;
  readonly country: string;
  readonly aliases: readonly string[];
}
export interface DocumentFacts {
  readonly kind: DocumentKind;
  readonly country: string;
  readonly numberEnd: string;
  readonly expiresOn: string;
}
interface FactsOf {
  readonly who: WhoFacts;
  readonly document: DocumentFacts;
}

/** Who reads the vault, and why: the audit log has both. */
export interface VaultReader {
  /** Null for the site itself. */
  readonly actorId: number | null;
  readonly reason: string;
}

/** Whose records they are, and whether a legal hold is on them: of a locked application. */
interface Held {
  readonly performerId: number;
  readonly legalHold: boolean;
}

export type VaultPicture = 'front' | 'back' | 'selfie';
const NAME_INDEX = 'identity.names';
export const VAULT_REMOVAL = 'identity.vaultRemoval';

interface VaultSettings {
  readonly data: Data;
  readonly blobs: Blobs;
  readonly secret: string;
  /** Secrets of before: keys wrapped by them are wrapped again. */
  readonly formerSecrets: readonly string[];
}

/**
 * Identities, encrypted at rest. Each person has a data key, which the operator's key wraps; that one is
 * derived from the installation's secret and stored nowhere. What is encrypted names its person and its kind,
 * so that it can be put in nobody else's place. Every read has a reason, and a line of the audit log.
 */
export class Vault {
  readonly #settings: VaultSettings;

  constructor(settings: VaultSettings) {
    this.#settings = settings;
  }

  /** The operator's keys: the present one first. */
  #ring(operatorId: number): readonly [WrappingKey, ...WrappingKey[]] {
    const { secret, formerSecrets } = this.#settings;
    const of = (text: string) => wrappingKey(text, `identity vault ${operatorId}`);
    return [of(secret), ...formerSecrets.map(of)];
  }

  #unwrap(operatorId: number, performerId: number, { wrapped, wrappedBy }: StoredKey): Buffer {
    const by = this.#ring(operatorId).find(({ id }) => id === wrappedBy);
    if (!by) {
      throw new Error(`no secret of this installation has wrapped the data key of person ${performerId}`);
    }
    return unwrapKey(by, contextOf(operatorId, performerId, 'key'), wrapped);
  }

  /** A person's data key, made where they have none. */
  async keyFor(tx: Tx, performerId: number): Promise<Buffer> {
    const { operatorId } = tx;
    const [by] = this.#ring(operatorId);
    const stored = await findKey(tx, performerId) ?? await insertKey(tx, performerId, {
      wrapped: wrapKey(by, contextOf(operatorId, performerId, 'key'), newDataKey()),
      wrappedBy: by.id,
    });
    return this.#unwrap(operatorId, performerId, stored);
  }

  async #keyOf(tx: Tx, performerId: number): Promise<Buffer> {
    const stored = await findKey(tx, performerId);
    if (!stored) throw new Error(`person ${performerId} has records and no data key`);
    return this.#unwrap(tx.operatorId, performerId, stored);
  }

  async encryptFacts<Kind extends keyof FactsOf>(
    tx: Tx,
    performerId: number,
    kind: Kind,
    facts: FactsOf[Kind],
  ): Promise<string> {
    const context = contextOf(tx.operatorId, performerId, kind);
    const bytes = Buffer.from(JSON.stringify(facts));
    return encryptBytes(await this.keyFor(tx, performerId), context, bytes).toString('base64url');
  }

  encryptPicture(
    { operatorId }: OperatorScope,
    performerId: number,
    picture: VaultPicture,
    key: Buffer,
    bytes: Uint8Array,
  ): Buffer {
    return encryptBytes(key, contextOf(operatorId, performerId, picture), bytes);
  }

  /** Decrypts the present facts of a kind; null where there are none. */
  async readFacts<Kind extends keyof FactsOf>(
    tx: Tx,
    performerId: number,
    kind: Kind,
    reader: VaultReader,
  ): Promise<FactsOf[Kind] | null> {
    const record = await findRecord(tx, performerId, kind);
    if (!record || record.facts === null) return null;
    await audit(tx, performerId, kind, reader);
    const context = contextOf(tx.operatorId, performerId, kind);
    const key = await this.#keyOf(tx, performerId);
    const text = decryptBytes(key, context, Buffer.from(record.facts, 'base64url')).toString();
    return JSON.parse(text) as FactsOf[Kind];
  }

  /** Decrypts a present picture as WebP; null where there is none. */
  async readPicture(
    scope: OperatorScope,
    performerId: number,
    picture: VaultPicture,
    reader: VaultReader,
  ): Promise<Buffer | null> {
    const { data, blobs } = this.#settings;
    const found = await data.tx(scope, async (tx) => {
      const record = await findRecord(tx, performerId, picture === 'selfie' ? 'selfie' : 'document');
      const blob = picture === 'back' ? record?.backBlob : record?.frontBlob;
      if (!blob) return null;
      await audit(tx, performerId, picture, reader);
      return { blob, key: await this.#keyOf(tx, performerId) };
    });
    const bytes = found && await blobs.get(found.blob);
    if (!found || !bytes) return null;
    return decryptBytes(found.key, contextOf(scope.operatorId, performerId, picture), bytes);
  }

  /** The index entry of a name. */
  digestOf({ operatorId }: OperatorScope, name: string): string {
    return digest(this.#settings.secret, `${NAME_INDEX} ${operatorId}`, indexedName(name));
  }

  async indexNames(tx: Tx, performerId: number, { legalName, aliases }: WhoFacts): Promise<void> {
    await saveNames(tx, performerId, [legalName, ...aliases].map((name) => this.digestOf(tx, name)));
  }

  /** Takes the present record of a kind out of use. Unless evidence names it, or it is on hold, it goes. */
  async retire(tx: Tx, { performerId, legalHold }: Held, kind: RecordKind): Promise<void> {
    const before = await replaceRecord(tx, performerId, kind);
    if (!before || legalHold || await isEvidence(tx, performerId, before.id)) return;
    await deleteRecord(tx, before.id);
    for (const blob of [before.frontBlob, before.backBlob]) if (blob) await this.removeBlob(tx, blob);
  }

  /** Gives a document another picture. The one before goes, or is a replaced record while on hold. */
  async replacePicture(
    tx: Tx,
    { legalHold }: Held,
    { id, frontBlob, backBlob }: StoredRecord,
    side: 'front' | 'back',
    blob: string,
  ): Promise<void> {
    const before = side === 'front' ? frontBlob : backBlob;
    if (before !== null && legalHold) await insertReplacedPicture(tx, id, side);
    await savePicture(tx, id, side, blob);
    if (before !== null && !legalHold) await this.removeBlob(tx, before);
  }

  /** Removes the replaced records that stayed for a legal hold alone. */
  async dropReplaced(tx: Tx, performerId: number): Promise<void> {
    for (const blob of await deleteReplaced(tx, performerId)) await this.removeBlob(tx, blob);
  }

  /** Removes a blob after the unit of work that no longer names it. */
  async removeBlob(tx: Tx, blob: string): Promise<void> {
    await removeStored(tx, VAULT_REMOVAL, { key: blob, blobs: [blob] });
  }

  /** Erases everything of a person: their key first, so that no copy of the rest can be read. */
  async erase(tx: Tx, performerId: number): Promise<void> {
    await deleteKey(tx, performerId);
    await saveNames(tx, performerId, []);
    for (const blob of await emptyRecords(tx, performerId)) await this.removeBlob(tx, blob);
    await tx.audit({ action: 'identity.erase', actorId: null, subject: `person:${performerId}` });
  }

  /** Wraps the data keys of before with the present key; returns how many. Run again, it finds none. */
  async wrapAgain(scope: OperatorScope): Promise<number> {
    const [by] = this.#ring(scope.operatorId);
    let count = 0;
    for (;;) {
      const page = await this.#settings.data.tx(scope, async (tx) => {
        const found = await keysToWrapAgain(tx, by.id, REWRAP_PAGE);
        for (const { performerId, ...stored } of found) {
          const key = this.#unwrap(scope.operatorId, performerId, stored);
          const wrapped = wrapKey(by, contextOf(scope.operatorId, performerId, 'key'), key);
          await saveKey(tx, performerId, { wrapped, wrappedBy: by.id });
          const who = await this.readFacts(tx, performerId, 'who', { actorId: null, reason: 'new secret' });
          if (who) await this.indexNames(tx, performerId, who);
        }
        return found.length;
      });
      count += page;
      if (page < REWRAP_PAGE) return count;
    }
  }
}

const contextOf = (operatorId: number, performerId: number, what: string): string =>
  `${operatorId}:${performerId}:${what}`;

const audit = (tx: Tx, performerId: number, what: string, { actorId, reason }: VaultReader): Promise<void> =>
  tx.audit({
    action: 'identity.read',
    actorId,
    subject: `person:${performerId}`,
    reason,
    detail: { what },
  });
