import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { kinds } from '#product/notices/extension-points.ts';
import type { Locale } from '#product/site/rules.ts';
import type { DocumentKind } from './rules.ts';
import type { AgreementsDependencies } from './server/dependencies.ts';
import { documentHandlers } from './server/documents.ts';
import { issue, ISSUED, issuingDeadlines, issuingSubscriptions } from './server/issuing.ts';
import { signingHandlers } from './server/signing.ts';
import { templateHandlers } from './server/templates.ts';
import { documentsOf, newestOf } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { currentVersion } from './store/templates.ts';

/** What a person signed last of a kind. */
export interface SignedDocument {
  readonly documentId: number;
  readonly version: number;
  readonly signedAt: Date;
  /** Whether no newer version is published. */
  readonly isCurrent: boolean;
}

export interface AgreementsService {
  /**
   * Issues the current version of a kind to a person, in their language or another, and notifies them; the
   * id of the document. Somebody who has signed that version, or can sign it now, keeps that document. Null
   * where no version is published. Throws for an unknown person.
   */
  readonly issue: (
    tx: Tx,
    personId: number,
    kind: DocumentKind,
    options?: { readonly language?: Locale },
  ) => Promise<number | null>;
  /** The newest version of a kind that a person has signed; null for none. */
  readonly signedOf: (tx: Tx, personId: number, kind: DocumentKind) => Promise<SignedDocument | null>;
  /** What waits for a person’s signature now: at most one document of each kind. */
  readonly mustSign: (
    tx: Tx,
    personId: number,
  ) => Promise<
    readonly {
      readonly documentId: number;
      readonly kind: DocumentKind;
      readonly title: string;
      readonly expiresAt: Date;
    }[]
  >;
}

/** Documents that people sign: agreements, releases, and the proof of each signature. */
export function agreementsSlice(deps: AgreementsDependencies): Slice<AgreementsService> {
  const service: AgreementsService = {
    issue: async (tx, personId, kind, { language } = {}) => {
      const person = await deps.accounts.findById(tx, personId);
      if (!person) throw new Error(`nobody has the id ${personId}`);
      return (await issue(deps, tx, person, kind, { language }))?.id ?? null;
    },
    signedOf: async (tx, personId, kind) => {
      const row = await newestOf(tx, personId, kind, 'signed');
      if (!row?.signedAt) return null;
      const { id, version, signedAt } = row;
      const isCurrent = version === await currentVersion(tx, kind);
      return { documentId: id, version, signedAt, isCurrent };
    },
    mustSign: async (tx, personId) =>
      (await documentsOf(tx, personId, { before: null, isOpen: true }))
        .map(({ id, kind, title, expiresAt }) => ({ documentId: id, kind, title, expiresAt })),
  };
  return {
    name: 'agreements',
    service,
    callHandlers: [...signingHandlers(deps), ...documentHandlers(deps), ...templateHandlers(deps)],
    subscriptions: issuingSubscriptions(deps),
    deadlineHandlers: issuingDeadlines(deps),
    extensions: [implement(personalData, ownRows), implement(kinds, () => [ISSUED])],
  };
}
