import type { RequestKind } from '../../rules/clocks.ts';

/** The public forms and their addresses. */
export const FORMS: readonly { readonly kind: RequestKind; readonly path: string }[] = [
  { kind: 'take_down', path: '/report/take-down' },
  { kind: 'copyright', path: '/report/copyright' },
  { kind: 'complaint', path: '/report/complaint' },
];
