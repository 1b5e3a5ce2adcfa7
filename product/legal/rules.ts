/** The documents of a site, and their sections in order: keys of texts. */
export const DOCUMENTS = {
  terms: [
    'who',
    'age',
    'account',
    'tokens',
    'conduct',
    'performers',
    'recording',
    'ending',
    'liability',
    'changes',
  ],
  privacy: ['who', 'what', 'why', 'others', 'payments', 'cookies', 'howLong', 'recipients', 'rights'],
} as const;

export type DocumentName = keyof typeof DOCUMENTS;
export const DOCUMENT_NAMES = ['terms', 'privacy'] as const satisfies readonly DocumentName[];
