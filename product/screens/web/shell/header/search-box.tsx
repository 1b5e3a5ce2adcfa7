import { IconButton } from '#platform/ui/controls/button.tsx';
import type { ActiveSuggestion, SuggestionKeys } from '#platform/ui/controls/popups/suggestions.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Search, SlidersHorizontal, X } from 'lucide-react';
import {
  lazy,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
} from 'react';
import { Link, useLocation, useNavigate } from 'react-router';

const loadOffers = () => import('#product/browse/web/search/offers.tsx');
const Offers = lazy(async () => ({ default: (await loadOffers()).Offers }));

/** Longer than any real search; the search accepts no more. */
const MAX_TYPED = 120;

/**
 * The search of every page: a field that suggests performers, tags and topics; on narrow screens an icon that
 * opens it over the header. `/` focuses it.
 */
export function SearchBox() {
  const { t } = useTranslation('screens');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) input.current?.focus();
  }, [isOpen]);
  useSlash(() => {
    setOpen(true);
    input.current?.focus();
  });
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <>
      <div
        className={`xl:ml-4 xl:block xl:w-64 ${
          isOpen
            ? 'max-xl:absolute max-xl:inset-0 max-xl:z-10 max-xl:flex max-xl:items-center max-xl:gap-1 '
              + 'max-xl:bg-page max-xl:px-3'
            : 'max-xl:hidden'
        }`}
      >
        <SearchForm input={input} onDone={() => setOpen(false)} />
        <span className="xl:hidden">
          <IconButton label={t('search.close')} onClick={close}>
            <X size={20} aria-hidden />
          </IconButton>
        </span>
      </div>
      <span className="xl:hidden">
        <IconButton
          ref={opener}
          label={t('search.open')}
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
        >
          <Search size={20} aria-hidden />
        </IconButton>
      </span>
    </>
  );
}

interface SearchFormProps {
  readonly input: React.RefObject<HTMLInputElement | null>;
  /** Somebody chose a suggestion. */
  readonly onDone: () => void;
}

/** A combobox: the focus stays in the field while arrow keys move through the suggestions. */
function SearchForm({ input, onDone }: SearchFormProps) {
  const { t } = useTranslation('screens');
  const navigate = useNavigate();
  const { key: page } = useLocation();
  const listId = useId();
  const keys = useRef<SuggestionKeys>(null);
  const [typed, setTyped] = useState('');
  const [isListOpen, setListOpen] = useState(false);
  const [active, setActive] = useState<ActiveSuggestion | null>(null);
  // After a navigation, suggestions belong to the previous page.
  useEffect(() => setListOpen(false), [page]);
  const goTo = (path: string, rest: string) => {
    setTyped(rest);
    setListOpen(false);
    onDone();
    void navigate(path);
  };
  const search = () => {
    const q = typed.trim();
    if (q !== '') goTo(`/search?q=${encodeURIComponent(q)}`, typed);
  };
  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key === 'Tab') return;
    if (isListOpen && keys.current?.take(press.key)) press.preventDefault();
    else if (press.key === 'Enter') search();
    else if (press.key === 'ArrowDown') setListOpen(true);
    else if (press.key === 'Escape') onDone();
  };
  const isShown = isListOpen && typed.trim() !== '';
  return (
    <div
      role="search"
      aria-label={t('search.label')}
      className="relative grow"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setListOpen(false);
      }}
    >
      <Search
        size={20}
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-3 my-auto text-muted"
      />
      <input
        ref={input}
        type="search"
        value={typed}
        maxLength={MAX_TYPED}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        placeholder={t('search.placeholder')}
        role="combobox"
        aria-label={t('search.label')}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? listId : undefined}
        aria-keyshortcuts="/"
        aria-activedescendant={isShown ? active?.option : undefined}
        onFocus={() => void loadOffers()}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setListOpen(true);
        }}
        className="min-h-11 w-full rounded-full border border-field bg-surface pr-11 pl-10 text-base text-text
          placeholder:text-muted xl:text-sm"
      />
      <Link
        to="/multi-filter"
        aria-label={t('search.advanced')}
        title={t('search.advanced')}
        onClick={onDone}
        className="absolute inset-y-0 right-0 flex size-11 items-center justify-center rounded-full text-muted
          hover:text-text"
      >
        <SlidersHorizontal size={20} aria-hidden />
      </Link>
      {isShown
        ? (
          // Pressing a suggestion must not take the focus from the field, which would close the list.
          <div onMouseDown={(press) => press.preventDefault()}>
            <Suspense>
              <Offers
                typed={typed}
                listId={listId}
                keys={keys}
                onActive={setActive}
                onTake={(path) => goTo(path, '')}
                onClose={() => setListOpen(false)}
              />
            </Suspense>
          </div>
        )
        : null}
    </div>
  );
}

/** Calls back when `/` is pressed and nobody is typing, and no dialog is open. */
function useSlash(onSlash: () => void): void {
  const handler = useRef(onSlash);
  handler.current = onSlash;
  // Attached before the first paint.
  useLayoutEffect(() => {
    const onKeyDown = (press: globalThis.KeyboardEvent) => {
      if (press.key !== '/' || press.ctrlKey || press.metaKey || press.altKey) return;
      const isTyping = press.target instanceof Element
        && press.target.closest('input, textarea, select, [contenteditable="true"]') !== null;
      if (isTyping || document.querySelector('dialog[open]') !== null) return;
      press.preventDefault();
      handler.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
