import type { TextOf } from '#platform/text/message-keys.ts';
import { statusAt } from '../rules.ts';
import type { DocumentRow, LineRow } from '../store.ts';

/** A document in a list, as it stands at a moment. */
export const lineView = (row: LineRow, now: Date) => ({
  id: String(row.id),
  kind: row.kind,
  title: row.title,
  version: row.version,
  status: statusAt(row, now),
  issued_at: row.issuedAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  signed_at: row.signedAt?.toISOString() ?? null,
});

/** The file of a signed document: its proof, line by line, and the text as it was shown. */
export function copyOf(
  text: TextOf,
  locale: string,
  { username, document }: {
    readonly username: string;
    readonly document: DocumentRow & { readonly signature: string; readonly signedAt: Date };
  },
) {
  const { id, kind, title, version, signature, signedAt, textSha256, proof } = document;
  const lines = [
    title,
    '',
    text(locale, 'agreements:copy.kind', { kind: text(locale, `agreements:kinds.${kind}`), version, id }),
    text(locale, 'agreements:copy.signature', { name: signature, username }),
    text(locale, 'agreements:copy.at', { at: signedAt.toISOString() }),
    text(locale, 'agreements:copy.hash', { hash: textSha256 }),
    text(locale, 'agreements:copy.seal', { seal: proof?.seal ?? '' }),
    '',
    '----------------------------------------',
    '',
    document.text,
    '',
  ];
  return {
    status: 200,
    headers: { 'content-disposition': `attachment; filename="agreement-${id}.txt"` },
    body: lines.join('\n'),
  };
}

/** A document with its signature; null until it is signed. */
export function asSigned(document: DocumentRow) {
  const { signature, signedAt } = document;
  return signature === null || signedAt === null ? null : { ...document, signature, signedAt };
}
