import { useRead } from '#platform/ui/calls/calls.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getSpendingState } from '../../client.ts';
import { TokensAndValue } from '../values.tsx';

/** What one person has, and for performers what they earned. */
export function TokensOf({ username }: { readonly username: string }) {
  const { t } = useTranslation('ledger');
  const read = useRead(getSpendingState, { username });
  return (
    <Section anchor="balance" title={t('web.history.tokens')}>
      <Loaded read={read} height="h-12">
        {({ tokens, earned }) => (
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
            <dt className="text-muted">{t('web.standing.balance')}</dt>
            <dd className="min-w-0">
              <TokensAndValue tokens={tokens} />
            </dd>
            {earned === null ? null : (
              <>
                <dt className="text-muted">{t('web.earnings.amount')}</dt>
                <dd className="min-w-0">
                  <TokensAndValue tokens={earned} />
                </dd>
              </>
            )}
          </dl>
        )}
      </Loaded>
    </Section>
  );
}
