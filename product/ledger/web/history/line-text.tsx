import { formatMoney } from '#platform/text/money.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ENTRY_KINDS, HOLD_EXPIRED } from '../../rules/entries.ts';
import { ShownValue } from '../values.tsx';
import type { Entry, Line } from '../views.ts';
import { useKindText } from './kinds.ts';

type Written = Pick<Line, 'kind' | 'memo' | 'tokens' | 'money' | 'reverses'>;

const textIn = ({ memo }: Written, name: string): string | null => {
  const value = memo[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** What tokens were for and whom they went to: `Tip to luna`, `Private show with luna`. */
function useNamed(): (kind: string, name: string | null) => string {
  const { t } = useTranslation('ledger');
  const kindText = useKindText();
  return (kind, name) => {
    const what = kindText(kind);
    if (name === null) return what;
    if (kind === 'fanclub') return t('web.history.of', { what, name });
    return Object.hasOwn(ENTRY_KINDS, kind) ? t('web.history.with', { what, name })
      : t('web.history.to', { what, name });
  };
}

/** Tokens that came back, where the kind does not say so: what a show did not cost, what a refund undid. */
const isReturn = ({ kind, tokens, reverses }: Written): boolean =>
  tokens > 0 && (reverses !== null || kind === HOLD_EXPIRED || ENTRY_KINDS[kind] === kind);

/** What a line was for: its kind, with whom, what was said or ordered with it, and that it came back. */
export function LineText({ line }: { line: Written }) {
  const { t } = useTranslation('ledger');
  const named = useNamed();
  const said = textIn(line, 'title') ?? textIn(line, 'comment');
  const { reverses } = line;
  return (
    <>
      <span className="font-medium break-words">{named(line.kind, textIn(line, 'to'))}</span>
      {reverses === null ? null
        : <span className="text-xs break-words text-muted">{named(reverses.kind, reverses.to)}</span>}
      {isReturn(line) ? <span className="text-xs text-muted">{t('web.history.returned')}</span> : null}
      {said === null ? null
        : <span className="line-clamp-2 text-xs break-words text-muted"><Typed>{said}</Typed></span>}
    </>
  );
}

/** What tokens were in money: what was paid where money was, what they are shown as where they were spent. */
export function Worth({ line }: { line: Written | Entry }) {
  const { i18n } = useTranslation('ledger');
  const { money, tokens } = line;
  if (money !== null) {
    return <span className="tabular text-xs text-muted">{formatMoney(money, i18n.language)}</span>;
  }
  return tokens < 0
    ? <span className="text-xs text-muted"><ShownValue tokens={-tokens} /></span> : null;
}
