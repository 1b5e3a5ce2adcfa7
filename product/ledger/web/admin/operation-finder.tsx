import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Search } from 'lucide-react';
import { useNavigate, useSearchParams } from 'react-router';
import { findOperations } from '../../client.ts';
import { OperationCard } from './operation-card.tsx';
import { SpendingButton } from './spending-dialog.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
const WAYS = ['operation', 'username', 'reference'] as const;
type Way = (typeof WAYS)[number];
const isWay = (way: string): way is Way => (WAYS as readonly string[]).includes(way);

interface FinderProps {
  /** Address of the page that finds payments by their biller's reference; that page's slice provides it. */
  readonly paymentsPath: string;
}

/** Operations by id or person, newest first. The search is in the address, to be sent to colleagues. */
export function OperationFinder({ paymentsPath }: FinderProps) {
  const { t } = useTranslation('ledger');
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const way: Way = params.has('operation') ? 'operation' : 'username';
  const sought = params.get(way) ?? '';
  const form = useFields({
    read: (fields) => ({ by: textOf(fields, 'by'), text: textOf(fields, 'text').trim() }),
    check: (
      { by, text },
    ): Readonly<
      Record<string, string>
    > => (by === 'operation' && text !== '' && !UUID.test(text) ? { text: t('web.admin.notAnId') } : {}),
    onSubmit: ({ by, text }) => {
      if (by === 'reference' && text !== '') {
        void navigate(`${paymentsPath}?reference=${encodeURIComponent(text)}`);
        return;
      }
      setParams(text !== '' && isWay(by) ? { [by]: by === 'operation' ? text.toLowerCase() : text } : {});
    },
  });
  return (
    <section aria-labelledby="ledger-operations">
      <h2 id="ledger-operations" className="mb-4 text-lg font-bold">{t('web.admin.operations')}</h2>
      <form
        {...form.props}
        key={`asked ${way} ${sought}`}
        className="mb-4 grid grid-cols-1 items-start gap-3 sm:grid-cols-[12rem_1fr_auto]"
      >
        <Select
          {...form.field('by')}
          label={t('web.admin.by')}
          defaultValue={way}
          options={WAYS.map((item) => ({ value: item, text: t(`web.admin.ways.${item}`) }))}
        />
        <TextField
          {...form.field('text')}
          type="search"
          label={t('web.admin.text')}
          defaultValue={sought}
          maxLength={128}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className="sm:pt-6">
          <Button type="submit" tone="primary" icon={<Search size={20} aria-hidden />}>
            {t('web.admin.find')}
          </Button>
        </div>
      </form>
      <Found key={`found ${way} ${sought}`} way={way} sought={sought} paymentsPath={paymentsPath} />
    </section>
  );
}

/** The results, a page at a time; another search starts with its newest. */
function Found({ way, sought, paymentsPath }: FinderProps & { way: Way; sought: string }) {
  const { t } = useTranslation('ledger');
  const found = useReadPages(findOperations, sought === '' ? {} : { [way]: sought });
  return (
    <>
      {way === 'username' && sought !== '' && found.data
        ? (
          <div className="mb-4">
            <SpendingButton username={sought} />
          </div>
        )
        : null}
      <Loaded read={found} height="h-96">
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
                        <OperationCard
                          operation={item}
                          paymentsPath={paymentsPath}
                          open={operations.length === 1}
                        />
                      </li>
                    ))}
                  </ol>
                )}
              <MorePages read={found} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
