import { FRESH_MS, problemOf, queryKeyOf, useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import {
  Suggestions,
  type ActiveSuggestion,
  type Suggestion,
  type SuggestionKeys,
} from '#platform/ui/controls/popups/suggestions.tsx';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Hash, MessageSquareText, Search } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode, type Ref } from 'react';
import { suggest } from '../../client.ts';
import type { SuggestionView } from '../../contract/search.ts';

/** Suggestions are requested after typing has paused for this long. */
const TYPING_MS = 150;
/** Limit of the call. */
const MAX_TYPED = 60;

export interface OffersProps {
  readonly typed: string;
  readonly listId: string;
  readonly keys: Ref<SuggestionKeys>;
  readonly onActive: (active: ActiveSuggestion | null) => void;
  readonly onTake: (path: string) => void;
  readonly onClose: () => void;
}

/** Suggestions below the header's search field, for the typed text. */
export function Offers(props: OffersProps) {
  return useTexts('browse') ? <Loaded {...props} /> : null;
}

/** The text at the last pause in typing. */
function useTyped(typed: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

function Loaded({ typed, ...list }: OffersProps) {
  const { t } = useTranslation('browse');
  const call = useCall();
  const q = useTyped(typed.trim()).slice(0, MAX_TYPED);
  // Typing on aborts the previous request, whose answer is no longer needed.
  const { data, error, refetch } = useQuery({
    queryKey: queryKeyOf(suggest, { q }),
    queryFn: ({ signal }) => call(suggest, { q }, { signal }),
    staleTime: FRESH_MS,
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  if (q === '') return null;
  if (error) return <Failed message={problemOf(error).message} onRetry={() => void refetch()} />;
  if (!data) return <Note>{t('search.searching')}</Note>;
  if (data.suggestions.length === 0) return <Note>{t('search.noSuggestions', { q })}</Note>;
  return <List q={q} suggestions={data.suggestions} {...list} />;
}

const NOTE = 'absolute inset-x-0 top-full z-40 mt-1 rounded-card border border-line bg-raised p-4 text-sm'
  + ' shadow-float';

function Note({ children }: { children: string }) {
  return <p role="status" className={NOTE}>{children}</p>;
}

function Failed({ message, onRetry }: { readonly message: string; readonly onRetry: () => void }) {
  const { t } = useTranslation('browse');
  const { t: tUi } = useTranslation('ui');
  return (
    <div className={`${NOTE} flex flex-wrap items-center gap-3`}>
      <p role="alert">{message || t('search.failed')}</p>
      <Button onClick={onRetry}>{tUi('retry')}</Button>
    </div>
  );
}

interface ListProps extends Omit<OffersProps, 'typed'> {
  readonly q: string;
  readonly suggestions: readonly SuggestionView[];
}

function List({ q, suggestions, onTake, ...list }: ListProps) {
  const { t, i18n } = useTranslation('browse');
  const items = useMemo((): readonly Suggestion[] => [
    ...suggestions.map((item) => {
      const amount = formatCount(item.count, i18n.language);
      const note = item.kind === 'tag'
        ? t('search.liveCount', { count: item.count, amount })
        : t(item.isLive ? 'search.live' : 'search.offline');
      return {
        key: `${item.kind} ${item.path}`,
        text: [item.text, t(`search.kind.${item.kind}`), note].join(', '),
        content: <Offer icon={<Icon one={item} />} text={item.text} note={note} isLive={item.isLive} />,
      };
    }),
    {
      key: 'search all',
      text: t('search.allResults', { q }),
      content: <Offer icon={<Search size={20} aria-hidden />} text={t('search.allResults', { q })} note="" />,
    },
  ], [i18n, q, suggestions, t]);
  const take = (key: string) => {
    const chosen = suggestions.find(({ kind, path }) => `${kind} ${path}` === key);
    onTake(chosen?.path ?? `/search?q=${encodeURIComponent(q)}`);
  };
  return <Suggestions {...list} below label={t('search.suggestions')} items={items} onTake={take} />;
}

function Icon({ one: { kind, text, thumbUrl } }: { one: SuggestionView }) {
  switch (kind) {
    case 'performer':
      return <Avatar name={text} url={thumbUrl} />;
    case 'tag':
      return <Hash size={20} aria-hidden />;
    case 'topic':
      return <MessageSquareText size={20} aria-hidden />;
  }
}

interface OfferProps {
  readonly icon: ReactNode;
  readonly text: string;
  readonly note: string;
  readonly isLive?: boolean;
}

function Offer({ icon, text, note, isLive = false }: OfferProps) {
  return (
    <>
      <span className="flex w-8 shrink-0 justify-center">{icon}</span>
      <span className="min-w-0 grow truncate">{text}</span>
      <span className={`shrink-0 text-xs ${isLive ? 'text-text' : 'text-muted'}`}>{note}</span>
    </>
  );
}
