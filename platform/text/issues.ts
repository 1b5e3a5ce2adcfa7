/** One thing that is wrong with an input, reported by zod or by a field's markup. */
export interface ShapeIssue {
  readonly code?: string;
  readonly path?: readonly PropertyKey[];
  /** The given value, if known. */
  readonly input?: unknown;
  readonly expected?: string;
  readonly origin?: string;
  readonly format?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly values?: readonly unknown[];
}

/** Code of an issue with a field that no contract names. */
export const UNKNOWN_FIELD = 'unknown_field';

/** Makes zod report the given value. */
export const WITH_INPUT = { reportInput: true } as const;

type IssueKey =
  | 'required'
  | 'tick'
  | 'choice'
  | 'email'
  | 'number'
  | 'whole'
  | 'format'
  | 'shortest'
  | 'longest'
  | 'lowest'
  | 'highest'
  | 'fewest'
  | 'most'
  | 'unknown'
  | 'wrong';
type IssueValues = Readonly<Record<string, string | number>>;

/** The person's language: the locale, and the texts of `platform/ui/messages`. */
export interface IssueLanguage {
  readonly locale: string;
  readonly text: (key: `ui:issues.${IssueKey}`, values?: IssueValues) => string;
}

/** The text of an issue. Server and pages use this one function, so that both say the same. */
export function issueText(issue: ShapeIssue, { locale, text }: IssueLanguage): string {
  const [key, values] = keyOf(issue, (limit) => new Intl.NumberFormat(locale).format(limit));
  return text(`ui:issues.${key}`, values);
}

const isMissing = (input: unknown): boolean => input === undefined || input === null || input === '';

/**
 * The text key and values of an issue. A size of a text or list is passed as a count, which selects the
 * plural; a number is formatted.
 */
function keyOf(issue: ShapeIssue, written: (limit: number | bigint) => string): [IssueKey, IssueValues?] {
  const { code = '', origin, minimum = 0, maximum = 0 } = issue;
  switch (code) {
    case 'too_small':
      if (origin === 'string') {
        return minimum === 1 ? ['required'] : ['shortest', { count: Number(minimum) }];
      }
      if (origin === 'number' || origin === 'int') return ['lowest', { minimum: written(minimum) }];
      return ['fewest', { count: Number(minimum) }];
    case 'too_big':
      if (origin === 'string') return ['longest', { count: Number(maximum) }];
      if (origin === 'number' || origin === 'int') return ['highest', { maximum: written(maximum) }];
      return ['most', { count: Number(maximum) }];
    case 'invalid_type':
      return isMissing(issue.input) ? ['required'] : typeKeyOf(issue.expected);
    case 'invalid_format':
      if (isMissing(issue.input)) return ['required'];
      return issue.format === 'email' ? ['email'] : ['format'];
    case 'invalid_value':
      return issue.values?.length === 1 && issue.values[0] === true ? ['tick'] : ['choice'];
    case UNKNOWN_FIELD:
      return ['unknown'];
    default:
      return ['wrong'];
  }
}

const typeKeyOf = (expected: string | undefined): [IssueKey] => {
  if (expected === 'int') return ['whole'];
  return expected === 'number' ? ['number'] : ['wrong'];
};
