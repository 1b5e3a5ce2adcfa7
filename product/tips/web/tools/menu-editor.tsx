import { ArrowUp, Plus, X } from 'lucide-react';
import { useRef, useState, type FormEvent } from 'react';
import { useAction } from '../../../../platform/ui/calls/calls.ts';
import { Button, IconButton } from '../../../../platform/ui/controls/button.tsx';
import { Sortable } from '../../../../platform/ui/controls/sortable.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { saveTipMenu } from '../../client.ts';
import type { MenuItemView } from '../../contract.ts';
import {
  isTipAmount, MAX_MENU_ITEMS, MAX_TIP_TOKENS, MAX_TITLE_LENGTH, MIN_TIP_TOKENS, titleOf,
} from '../../rules.ts';
import { useTipToolsChanges } from '../live.ts';

/** A line as it is typed. */
interface Draft {
  readonly key: number;
  readonly id: number | undefined;
  readonly title: string;
  readonly price: string;
}

const draftsOf = (menu: readonly MenuItemView[]): readonly Draft[] =>
  menu.map(({ id, title, price }) => ({ key: id, id, title, price: String(price) }));
const isWhole = ({ title, price }: Draft): boolean => titleOf(title) !== '' && isTipAmount(Number(price));
/** A price to start from. */
const USUAL_PRICE = '25';

const FIELD = 'min-h-11 min-w-0 rounded-control border border-field bg-surface px-3 text-base';

/** The list with one of its items at another index. */
function moved<T>(items: readonly T[], from: number, to: number): readonly T[] {
  const rest = items.filter((_one, at) => at !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

/** Writing the menu: what can be ordered, at what price, in which order. */
export default function MenuEditor({ menu }: { menu: readonly MenuItemView[] }) {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const save = useAction(saveTipMenu);
  const { change } = useTipToolsChanges();
  const [drafts, setDrafts] = useState(() => draftsOf(menu));
  const [isWrong, setWrong] = useState(false);
  // Lines that were not saved yet have no id: theirs are below zero.
  const made = useRef(0);
  const set = (key: number, some: Partial<Draft>) =>
    setDrafts(drafts.map((one) => (one.key === key ? { ...one, ...some } : one)));
  const add = () => {
    made.current -= 1;
    setDrafts([...drafts, { key: made.current, id: undefined, title: '', price: USUAL_PRICE }]);
  };
  const move = (from: number, to: number) => setDrafts(moved(drafts, from, to));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWrong(!drafts.every(isWhole));
    if (save.busy || !drafts.every(isWhole)) return;
    const items = drafts.map(({ id, title, price }) =>
      ({ ...(id === undefined ? {} : { id }), title, price: Number(price) }));
    const done = await save.run({ items });
    if (!done) return;
    change({ menu: done.items });
    setDrafts(draftsOf(done.items));
    toast(t('editor.saved'), 'success');
  };
  const limits = { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {drafts.length === 0 ? <p className="text-sm text-muted">{t('editor.empty')}</p> : null}
      <Sortable label={t('menu.title')} items={drafts} keyOf={({ key }) => String(key)} onMove={move}
        nameOf={({ title }, at) => title.trim() || t('editor.name', { number: at + 1 })}>
        {({ key, title, price }, at, handle) => (
          <div className="flex gap-1 border-b border-line pb-2 @max-sm:flex-wrap">
            {handle}
            <input aria-label={t('editor.name', { number: at + 1 })} value={title}
              maxLength={MAX_TITLE_LENGTH} autoComplete="off" className={`${FIELD} w-0 grow`}
              onChange={(typed) => set(key, { title: typed.target.value })} />
            <div className="flex gap-1 @max-sm:w-full @max-sm:pl-12">
              <input aria-label={t('editor.price', { number: at + 1 })} value={price} inputMode="numeric"
                autoComplete="off" className={`${FIELD} tabular w-24 text-right @max-sm:grow`}
                onChange={(typed) => set(key, { price: typed.target.value.replaceAll(/[^\d]/gu, '') })} />
              <IconButton label={t('editor.up', { number: at + 1 })} disabled={at === 0}
                onClick={() => move(at, at - 1)}>
                <ArrowUp size={18} aria-hidden />
              </IconButton>
              <IconButton label={t('editor.remove', { number: at + 1 })}
                onClick={() => setDrafts(drafts.filter((one) => one.key !== key))}>
                <X size={18} aria-hidden />
              </IconButton>
            </div>
          </div>
        )}
      </Sortable>
      {isWrong ? <p role="alert" className="text-sm text-danger-text">{t('editor.wrong', limits)}</p> : null}
      <FormError problem={save.problem} />
      <div className="flex flex-wrap gap-3">
        <Button disabled={drafts.length >= MAX_MENU_ITEMS} icon={<Plus size={18} aria-hidden />}
          onClick={add}>
          {t('editor.add')}
        </Button>
        <Button type="submit" busy={save.busy}>{t('editor.save')}</Button>
      </div>
    </form>
  );
}
