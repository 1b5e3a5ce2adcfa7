import type { OutputOf } from '#platform/contract/call.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { getPostpay, listCards, setPostpay } from '../../client.ts';
import { CardChoice, firstCard } from '../choice/card-choice.tsx';
import { PostpayFacts, SettleForm } from '../dialogs/postpay-dialogs.tsx';
import { useReloadMoney } from '../live.ts';
import type { MoneyStep } from '../steps.ts';

type Postpay = OutputOf<typeof getPostpay>;

/**
 * Post-pay, for people who are offered it or have a debt.
 * @param endsOnly for a person who may not buy: post-pay can be turned off and settled, but is not offered
 */
export function PostpaySection(
  { go, endsOnly = false }: { readonly go: (step: MoneyStep) => void; readonly endsOnly?: boolean },
) {
  const { t } = useTranslation('billing');
  const read = useRead(getPostpay, {});
  const isOffered = read.data?.offered === true && !endsOnly;
  if (read.data ? !isOffered && read.data.owed === 0 && !read.data.enabled : endsOnly) return null;
  const state = read.data
    ? (
      <Pill tone={read.data.card_failed ? 'danger' : read.data.enabled ? 'online' : 'quiet'}>
        {t(read.data.card_failed ? 'web.postpay.failed' : read.data.enabled ? 'web.reup.on' : 'web.reup.off')}
      </Pill>
    )
    : null;
  return (
    <Section anchor="postpay" title={t('web.postpay.title')} lead={t('web.postpay.about')} action={state}>
      <Loaded read={read} height="h-32">
        {(account) => <Account account={{ ...account, offered: isOffered }} go={go} />}
      </Loaded>
    </Section>
  );
}

function Account({ account, go }: { account: Postpay; go: (step: MoneyStep) => void }) {
  const { t } = useTranslation('billing');
  return (
    <div className="flex flex-col gap-4">
      {account.card_failed ? <p className="text-danger-text">{t('web.postpay.cardFailed')}</p> : null}
      {account.enabled || account.owed > 0 ? <PostpayFacts /> : null}
      {account.owed > 0 ? <SettleForm go={go} /> : null}
      <Switch account={account} />
    </div>
  );
}

/** Turning it on requires confirming what is charged and when; turning it off leaves the debt. */
function Switch({ account }: { account: Postpay }) {
  const { t, i18n } = useTranslation('billing');
  const cards = useRead(listCards, {}, { enabled: !account.enabled });
  const action = useAction(setPostpay);
  const reload = useReloadMoney();
  const [chosen, setChosen] = useState<number | null>(null);
  const [agreed, setAgreed] = useState(false);
  const cardId = chosen ?? firstCard(cards.data?.cards ?? [])?.id ?? null;
  const change = async (enabled: boolean) => {
    const done = await action.run({ enabled, ...(enabled && cardId !== null ? { cardId } : {}) });
    if (done) await reload();
  };
  if (account.enabled) {
    return (
      <div className="flex flex-col gap-2">
        <FormError problem={action.problem} />
        <div>
          <Button busy={action.busy} onClick={() => void change(false)}>{t('web.postpay.turnOff')}</Button>
        </div>
      </div>
    );
  }
  if (!account.offered) return null;
  return (
    <Loaded read={cards} height="h-24">
      {({ cards: known }) => (
        <div className="flex flex-col gap-4">
          <CardChoice cards={known} chosen={cardId} onChoose={setChosen} savedOnly />
          <Checkbox
            checked={agreed}
            onChange={({ target }) => setAgreed(target.checked)}
            label={t('web.postpay.confirm', { limit: formatCount(account.limit, i18n.language) })}
          />
          <FormError problem={action.problem} />
          <div>
            <Button
              busy={action.busy}
              disabled={!agreed || cardId === null}
              onClick={() => void change(true)}
            >
              {t('web.postpay.turnOn')}
            </Button>
          </div>
        </div>
      )}
    </Loaded>
  );
}
