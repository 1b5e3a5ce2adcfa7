import { formatMoney } from '#platform/text/money.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { NameButton } from '#product/accounts/web/name-button.tsx';
import { ENTRY_KINDS, HOLD_EXPIRED } from '../../rules/entries.ts';
import { ShownValue } from '../values.tsx';
import type { Entry, Line } from '../views.ts';
import { useKindText } from './kinds.ts';

type Written = Pick<Line, 'kind' | 'memo' | 'tokens' | 'money' | 'reverses'>;

const textIn = ({ memo }: Written, name: string): string | null => {
  const value = memo[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Placeholder for the name in a sentence; each language puts it where it belongs. */
const NAME = '\u0000';

/** What tokens were for and who got them, with their card: `Tip to luna`, `Private show with luna`. */
function Named({ kind, name }: { kind: string; name: string | null }) {
  const { t } = useTranslation('ledger');
  const what = useKindText()(kind);
  if (name === null) return what;
  const text = kind === 'fanclub'
    ? t('web.history.of', { what, name: NAME })
    : Object.hasOwn(ENTRY_KINDS, kind)
    ? t('web.history.with', { what, name: NAME })
    : t('web.history.to', { what, name: NAME });
  const [before = '', after = ''] = text.split(NAME);
  return (
    <>
      {before}
      <NameButton named={{ username: name }} />
      {after}
    </>
  );
}

/** Whether tokens were returned and the kind does not say so: unused parts of a show's hold, a refund. */
const isReturn = ({ kind, tokens, reverses }: Written): boolean =>
  tokens > 0 && (reverses !== null || kind === HOLD_EXPIRED || ENTRY_KINDS[kind] === kind);

/** What a line was for: its kind, with whom, the comment or order, and whether it was returned. */
export function LineText({ line }: { line: Written }) {
  const { t } = useTranslation('ledger');
  const said = textIn(line, 'title') ?? textIn(line, 'comment');
  const { reverses } = line;
  return (
    <>
      <span className="font-medium break-words">
        <Named kind={line.kind} name={textIn(line, 'to')} />
      </span>
      {reverses === null
        ? null
        : (
          <span className="text-xs break-words text-muted">
            <Named kind={reverses.kind} name={reverses.to} />
          </span>
        )}
      {isReturn(line) ? <span className="text-xs text-muted">{t('web.history.returned')}</span> : null}
      {said === null
        ? null
        : (
          <span className="line-clamp-2 text-xs break-words text-muted">
            <Typed>{said}</Typed>
          </span>
        )}
    </>
  );
}

/** The value of tokens in money: the amount paid if money moved, else the value that prices show. */
export function Worth({ line }: { line: Written | Entry }) {
  const { i18n } = useTranslation('ledger');
  const { money, tokens } = line;
  if (money !== null) {
    return <span className="tabular text-xs text-muted">{formatMoney(money, i18n.language)}</span>;
  }
  return tokens < 0
    ? (
      <span className="text-xs text-muted">
        <ShownValue tokens={-tokens} />
      </span>
    )
    : null;
}
