import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { TokensAndValue } from '#product/ledger/web/values.tsx';
import { useState } from 'react';
import type { MenuItemView } from '../../contract/menu.ts';
import { useTipping } from '../send-tip.ts';
import { Anonymous } from '../tip-form.tsx';
import { TipProblem, useTipOutcome, type TipTarget } from '../tip-panel.tsx';

/** The performer's menu: each item with its price, which is confirmed before ordering. */
export function MenuList({ items, target }: { items: readonly MenuItemView[]; target: TipTarget }) {
  const { t } = useTranslation('tips');
  const [chosen, setChosen] = useState<MenuItemView | null>(null);
  return (
    <div>
      <h2 className="pb-2 text-base font-bold">{t('menu.title')}</h2>
      <ul className="divide-y divide-line rounded-card border border-line">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={() => (target.guest ? target.onLogin() : setChosen(item))}
              className="flex min-h-11 w-full items-center justify-between gap-4 px-3 py-2 text-left text-sm
                -outline-offset-2 hover:bg-raised"
            >
              <span className="min-w-0 break-words">
                <Typed>{item.title}</Typed>
              </span>
              <TokenAmount tokens={item.price} className="shrink-0 font-bold" />
            </button>
          </li>
        ))}
      </ul>
      {chosen ? <OrderDialog item={chosen} target={target} onClose={() => setChosen(null)} /> : null}
    </div>
  );
}

function OrderDialog({ item, target, onClose }: {
  item: MenuItemView;
  target: TipTarget;
  onClose: () => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const tipping = useTipping();
  const act = useTipOutcome(target);
  const [anonymous, setAnonymous] = useState(false);
  const amount = formatCount(item.price, i18n.language);
  const order = async () => {
    const outcome = await tipping.send({
      username: target.username,
      amount: item.price,
      comment: '',
      anonymous,
      item: item.id,
    });
    act(outcome, item.price);
    if (outcome?.kind === 'sent') toast(t('menu.ordered', { title: item.title }), 'success');
    if (outcome?.kind === 'sent' || outcome?.kind === 'login' || outcome?.kind === 'prompt') onClose();
  };
  return (
    <Dialog
      title={item.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('menu.cancel')}</Button>
          <Button
            tone="primary"
            busy={tipping.busy}
            onClick={() => void order()}
          >
            {t('menu.confirm', { amount })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="font-bold">
          <TokensAndValue tokens={item.price} />
        </p>
        <p>{t('menu.text', { count: item.price, name: target.displayName, amount })}</p>
        <Anonymous checked={anonymous} onChange={({ target: box }) => setAnonymous(box.checked)} />
        <TipProblem problem={tipping.problem} />
      </div>
    </Dialog>
  );
}
