import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { findOperations } from '../../client.ts';
import { OperationCard } from './operation-card.tsx';

/** What has happened to the tokens of one person, newest first. @param paymentsPath as of the finder */
export function OperationsOf({ username, paymentsPath }: {
  readonly username: string;
  readonly paymentsPath: string;
}) {
  const { t } = useTranslation('ledger');
  const found = useReadPages(findOperations, { username });
  return (
    <Section anchor="tokens" title={t('web.admin.operations')}>
      <Loaded read={found} height="h-48">
        {({ pages }) => {
          const operations = pages.flatMap((page) => page.operations);
          return (
            <>
              {operations.length === 0
                ? <EmptyState text={t('web.admin.nothing')} />
                : (
                  <ol className="flex flex-col gap-4" aria-label={t('web.admin.operations')}>
                    {operations.map((item) => (
                      <li key={item.id}>
                        <OperationCard operation={item} paymentsPath={paymentsPath} open={false} />
                      </li>
                    ))}
                  </ol>
                )}
              <MorePages read={found} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
