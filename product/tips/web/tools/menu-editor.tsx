import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { describedBy, keepDigits } from '#platform/ui/controls/fields.tsx';
import { Sortable } from '#platform/ui/controls/sortable.tsx';
import { textOf, useForm, type FormField } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ArrowUp, Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { saveTipMenu } from '../../client.ts';
import type { MenuItemView } from '../../contract/menu.ts';
import {
  isTipAmount,
  MAX_MENU_ITEMS,
  MAX_TIP_TOKENS,
  MAX_TITLE_LENGTH,
  MIN_TIP_TOKENS,
  titleOf,
} from '../../rules.ts';
import { showMenu } from '../live.ts';

/** A menu item as typed. */
interface Draft {
  readonly key: number;
  readonly id: number | undefined;
  readonly title: string;
  readonly price: string;
}

const draftsOf = (menu: readonly MenuItemView[]): readonly Draft[] =>
  menu.map(({ id, title, price }) => ({ key: id, id, title, price: String(price) }));
/** Initial price. */
const USUAL_PRICE = '25';

const FIELD = 'min-h-11 min-w-0 rounded-control border border-field bg-surface px-3 text-base '
  + 'aria-invalid:border-danger';

/** The list with one item moved to another index. */
function moved<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const rest = items.filter((_one, at) => at !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

/**
 * Menu items after a save: an item that was saved as typed gets its id; one that was changed since is new.
 */
function linesAfter(drafts: readonly Draft[], saved: readonly MenuItemView[]): readonly Draft[] {
  const left = [...saved];
  return drafts.map((draft) => {
    const at = left.findIndex(({ title, price }) =>
      title === titleOf(draft.title) && price === Number(draft.price)
    );
    const item = at < 0 ? undefined : left.splice(at, 1)[0];
    return item
      ? { key: draft.key, id: item.id, title: item.title, price: String(item.price) }
      : { ...draft, id: undefined };
  });
}

// The field name uses the key, so that an item has the same fields wherever it is moved.
const titleField = (key: number): string => `title${key}`;
const priceField = (key: number): string => `price${key}`;

/** The items as typed, and the form that saves them. */
function useMenuForm(menu: readonly MenuItemView[]) {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const [drafts, setDrafts] = useState(() => draftsOf(menu));
  const typedIn = (fields: FormData): readonly Draft[] =>
    drafts.map((draft) => ({
      ...draft,
      title: textOf(fields, titleField(draft.key)),
      price: textOf(fields, priceField(draft.key)),
    }));
  const wrong = t('editor.wrong', { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) });
  const form = useForm(saveTipMenu, {
    shape: async () => (await import('../../contract/menu.ts')).saveTipMenu,
    read: (fields) => ({
      items: typedIn(fields).map(({ id, title, price }) => ({
        ...(id === undefined ? {} : { id }),
        title,
        price: Number(price),
      })),
    }),
    check: (_menu, fields) =>
      Object.fromEntries<string>(
        typedIn(fields).flatMap(({ key, title, price }) => [
          ...(titleOf(title) === '' ? [[titleField(key), wrong] as const] : []),
          ...(isTipAmount(Number(price)) ? [] : [[priceField(key), wrong] as const]),
        ]),
      ),
    applied: showMenu,
    onDone: ({ items }) => {
      setDrafts((now) => linesAfter(now, items));
      toast(t('editor.saved'), 'success');
    },
  });
  return { form, drafts, setDrafts };
}

/** The menu editor: which items can be ordered, at what price, in which order. */
export default function MenuEditor({ menu }: { menu: readonly MenuItemView[] }) {
  const { t } = useTranslation('tips');
  const { form, drafts, setDrafts } = useMenuForm(menu);
  // Items that were not saved yet have no id: their keys are below zero.
  const made = useRef(0);
  const isAdding = useRef(false);
  const id = useId();
  // A new item gets the focus at once.
  useEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    document.querySelector<HTMLInputElement>(`input[name="${titleField(made.current)}"]`)?.focus();
  }, [drafts]);
  const add = () => {
    made.current -= 1;
    isAdding.current = true;
    setDrafts([...drafts, { key: made.current, id: undefined, title: '', price: USUAL_PRICE }]);
  };
  const move = (from: number, to: number) => setDrafts(moved(drafts, from, to));
  const lines = drafts.map((draft) => ({
    draft,
    title: form.field(titleField(draft.key)),
    price: form.field(priceField(draft.key)),
  }));
  const wrong = lines.map(({ title, price }) => title.error ?? price.error).find(Boolean);
  return (
    <form {...form.props} className="flex flex-col gap-3">
      {drafts.length === 0 ? <p className="text-sm text-muted">{t('editor.empty')}</p> : null}
      <Sortable
        label={t('menu.title')}
        items={lines}
        keyOf={({ draft }) => String(draft.key)}
        onMove={move}
        nameOf={({ draft }, at) => draft.title.trim() || t('editor.name', { number: at + 1 })}
      >
        {(line, at, handle) => (
          <div className="flex gap-1 border-b border-line pb-2 @max-sm:flex-wrap">
            {handle}
            <LineFields
              line={line}
              number={at + 1}
              notes={id}
              onType={(some) =>
                setDrafts((now) =>
                  now.map((item) => (item.key === line.draft.key ? { ...item, ...some } : item))
                )}
            >
              <IconButton
                label={t('editor.up', { number: at + 1 })}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              >
                <ArrowUp size={18} aria-hidden />
              </IconButton>
              <IconButton
                label={t('editor.remove', { number: at + 1 })}
                onClick={() => setDrafts(drafts.filter((item) => item.key !== line.draft.key))}
              >
                <X size={18} aria-hidden />
              </IconButton>
            </LineFields>
          </div>
        )}
      </Sortable>
      {wrong ? <p id={`${id}-error`} role="alert" className="text-sm text-danger-text">{wrong}</p> : null}
      <FormError problem={form.problem} />
      <div className="flex flex-wrap gap-3">
        <Button
          disabled={drafts.length >= MAX_MENU_ITEMS}
          icon={<Plus size={18} aria-hidden />}
          onClick={add}
        >
          {t('editor.add')}
        </Button>
        <Button type="submit" busy={form.busy}>{t('editor.save')}</Button>
      </div>
    </form>
  );
}

/** Title and price of an item, and its buttons. @param notes id of the text that says what is wrong */
function LineFields({ line, number, notes, onType, children }: {
  line: { readonly draft: Draft; readonly title: FormField; readonly price: FormField };
  number: number;
  notes: string;
  onType: (some: Partial<Draft>) => void;
  children: ReactNode;
}) {
  const { t } = useTranslation('tips');
  const { draft, title: { error: titleError, ...title }, price: { error: priceError, ...price } } = line;
  return (
    <>
      <input
        {...title}
        {...describedBy(notes, { error: titleError })}
        aria-label={t('editor.name', { number })}
        value={draft.title}
        maxLength={MAX_TITLE_LENGTH}
        autoComplete="off"
        className={`${FIELD} w-0 grow`}
        onChange={(typed) => {
          onType({ title: typed.target.value });
          title.onChange(typed);
        }}
      />
      <div className="flex gap-1 @max-sm:w-full @max-sm:pl-12">
        <input
          {...price}
          {...describedBy(notes, { error: priceError })}
          aria-label={t('editor.price', { number })}
          value={draft.price}
          inputMode="numeric"
          autoComplete="off"
          className={`${FIELD} tabular w-24 text-right @max-sm:grow`}
          onInput={keepDigits}
          onChange={(typed) => {
            onType({ price: typed.target.value });
            price.onChange(typed);
          }}
        />
        {children}
      </div>
    </>
  );
}
