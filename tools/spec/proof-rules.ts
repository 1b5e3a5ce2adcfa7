import type { Requirement } from '../tidy/content/titles.ts';
import type { Claim } from './claims.ts';

/** A claimed requirement whose tests cannot be enough, and why. */
export interface Shortfall {
  readonly id: string;
  readonly advice: string;
}

/** Answers with advice when none of the tests of a requirement is of the kind that could prove it. */
type Rule = (requirement: Requirement, claims: readonly Claim[]) => string | null;

const isPage = ({ file }: Claim): boolean => file.endsWith('.page.test.tsx') || file.startsWith('e2e/');
const isOfRules = ({ file }: Claim): boolean => /(?:^|\/)rules(?:-[a-z-]+)?\.test\.tsx?$/u.test(file);

/** An error that a person is shown, not only a code in an answer. */
const IS_SHOWN = /\b(?:shows?|shown|opens?|toast|modal|dialog|notice)\b/iu;
/** What a test of a refusal says. */
const REFUSAL = new RegExp(
  'refus|reject|denie|forbid|error|problem|gone\\(|toBe\\((?:false|0)\\)|null\\b|'
    + '\\.not\\.|\\b40\\d\\b|code',
  'iu',
);
/** A client of a socket: of the testkit, of a page, or of a browser. */
const CLIENT = /socket|sockets|lobby|client|openRoom|openPage|browser|site\b|room\b|hears|heard|frames/iu;

const RULES: readonly Rule[] = [
  ({ kind, text }, claims) =>
    (
        kind === 'screen' || kind === 'modal' || (kind === 'error' && IS_SHOWN.test(text))
      ) && !claims.some(isPage)
      ? 'is something people see: prove it in a page test or a journey'
      : null,
  (_requirement, claims) =>
    claims.every(isOfRules)
      ? 'is claimed by tests of rules alone, which pass when nothing uses the rule'
      : null,
  ({ kind }, claims) =>
    kind === 'event' && !claims.some(({ body }) => CLIENT.test(body))
      ? 'is an event: have its cause send it and a client receive it'
      : null,
  ({ kind }, claims) =>
    kind === 'permission' && !claims.some(({ body }) => REFUSAL.test(body))
      ? 'is a permission: try it as somebody who lacks it'
      : null,
  ({ kind, text }, claims) => {
    const missing = kind === 'constant' ? numbersMissing(text, claims) : [];
    return missing.length > 0 ? `is a constant: ${missing.join(', ')} stands in none of its tests` : null;
  },
];

/** Numbers of the text that no test has as a literal, thousands separators aside. */
function numbersMissing(text: string, claims: readonly Claim[]): string[] {
  const bodies = claims.map(({ body }) => body.replaceAll(/(?<=\d)[_,](?=\d)/gu, '')).join('\n');
  const numbers = text.match(/(?<![\w§])\d[\d.,]*(?:_\d+)?/gu) ?? [];
  return [...new Set(numbers.map((number) => number.replace(/[.,]+$/u, '').replaceAll(',', '')))]
    .filter((number) => !bodies.includes(number.replaceAll('_', '')) && !bodies.includes(number));
}

/**
 * Requirements whose tests are of the wrong kind: a screen that no page test renders, an event without a
 * client, a permission without its attack, a constant without its literal. It reads the form of a proof only;
 * the audit reads its content.
 */
export function shortfallsOf(
  requirements: readonly Requirement[],
  claims: readonly Claim[],
): Shortfall[] {
  const byId = new Map<string, Claim[]>();
  for (const claim of claims) {
    for (const id of claim.ids) byId.set(id, [...(byId.get(id) ?? []), claim]);
  }
  return requirements.flatMap((requirement) => {
    const own = byId.get(requirement.id);
    if (own === undefined) return [];
    return RULES.map((rule) => rule(requirement, own)).filter((advice) => advice !== null)
      .map((advice) => ({ id: requirement.id, advice }));
  });
}
