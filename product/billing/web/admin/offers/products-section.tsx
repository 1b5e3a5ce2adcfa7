import type { OutputOf } from '#platform/contract/call.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ArrowDown, ArrowUp, Plus } from 'lucide-react';
import { useState } from 'react';
import { listManagedProducts, orderProducts, retireProduct } from '../../../client.ts';
import type { ManagedProductView } from '../../../contract/operator.ts';
import { tokensOf } from '../../../rules/products.ts';
import { Price } from '../../money.tsx';
import { ReasonDialog } from '../reason.tsx';
import { ProductDialog } from './product-dialog.tsx';

type Managed = OutputOf<typeof listManagedProducts>;

/** All products loaded so far, with the figures of the last page. */
function wholeOf(pages: readonly Managed[]): Managed | undefined {
  const last = pages.at(-1);
  return last && { ...last, products: pages.flatMap(({ products }) => products) };
}

/** The open dialog. */
type Open = { readonly kind: 'new' } | {
  readonly kind: 'edit' | 'retire';
  readonly product: ManagedProductView;
} | { readonly kind: 'order'; readonly ids: readonly string[]; readonly product: ManagedProductView };

/** Products on sale in display order, and retired ones. */
export function ProductsSection() {
  const { t, i18n } = useTranslation('billing');
  const [tab, setTab] = useState('sale');
  const [open, setOpen] = useState<Open | null>(null);
  const retired = tab === 'retired';
  const read = useReadPages(listManagedProducts, { retired }, { cursor: 'after', keep: true });
  const list = (answer: Managed) => (
    <div className="pt-4">
      {answer.products.length === 0
        ? <EmptyState text={t('web.operator.product.none')} />
        : <Products answer={answer} isWhole={!retired} onOpen={setOpen} />}
      <MorePages read={read} />
    </div>
  );
  return (
    <Section
      anchor="products"
      title={t('web.operator.product.title')}
      lead={t('web.operator.product.lead')}
      action={
        <Button
          tone="primary"
          icon={<Plus size={20} aria-hidden />}
          onClick={() => setOpen({ kind: 'new' })}
        >
          {t('web.operator.product.new')}
        </Button>
      }
    >
      <Loaded read={{ ...read, data: read.data && wholeOf(read.data.pages) }} height="h-64">
        {(answer) => (
          <>
            <p className="mb-4 text-sm text-muted">
              {t('web.operator.product.marketing')}{' '}
              <Price amount={{ minor: answer.marketing_booked_cents, currency: 'USD' }} />
              {' / '}
              <Price amount={{ minor: answer.marketing_cap_cents, currency: 'USD' }} />
            </p>
            <Tabs
              label={t('web.operator.product.title')}
              current={tab}
              onChange={setTab}
              tabs={[
                { key: 'sale', text: t('web.operator.product.sale') },
                { key: 'retired', text: t('web.operator.product.retired') },
              ].map((item) => ({ ...item, panel: item.key === tab ? list(answer) : null }))}
            />
            <Opened
              open={open}
              answer={answer}
              onClose={() => setOpen(null)}
              locale={i18n.language}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Opened({ open, answer, onClose, locale }: {
  readonly open: Open | null;
  readonly answer: Managed;
  readonly onClose: () => void;
  readonly locale: string;
}) {
  const { t } = useTranslation('billing');
  if (!open) return null;
  if (open.kind === 'new' || open.kind === 'edit') {
    return (
      <ProductDialog product={open.kind === 'edit' ? open.product : null} answer={answer} onClose={onClose} />
    );
  }
  const { product } = open;
  const name = product.internal_id;
  if (open.kind === 'order') {
    const place = formatCount(open.ids.indexOf(name) + 1, locale);
    return (
      <ReasonDialog
        call={orderProducts}
        input={{ internal_ids: [...open.ids] }}
        shape={async () => (await import('../../../contract/operator.ts')).orderProducts}
        title={t('web.operator.product.order')}
        confirm={t('web.operator.save')}
        onClose={onClose}
      >
        {t('web.operator.product.orderText', { name, place })}
      </ReasonDialog>
    );
  }
  const key = product.retired ? 'restore' : 'retire';
  return (
    <ReasonDialog
      call={retireProduct}
      ends={!product.retired}
      onClose={onClose}
      shape={async () => (await import('../../../contract/operator.ts')).retireProduct}
      input={{ internal_id: name, revision: product.revision, retired: !product.retired }}
      title={t(`web.operator.product.${key}Title`, { name })}
      confirm={t(`web.operator.product.${key}`)}
    >
      {t(`web.operator.product.${key}Text`)}
    </ReasonDialog>
  );
}

interface ProductsProps {
  readonly answer: Managed;
  /** All products on sale are loaded, so they can be reordered. */
  readonly isWhole: boolean;
  readonly onOpen: (open: Open) => void;
}

function Products({ answer: { products }, isWhole, onOpen }: ProductsProps) {
  const { t } = useTranslation('billing');
  const move = (product: ManagedProductView, by: 1 | -1) => {
    const ids = products.map(({ internal_id: id }) => id);
    const at = ids.indexOf(product.internal_id);
    ids.splice(at, 1);
    ids.splice(at + by, 0, product.internal_id);
    onOpen({ kind: 'order', ids, product });
  };
  const columns: readonly Column<ManagedProductView>[] = [
    { key: 'id', text: t('web.operator.product.id'), cell: (item) => <NameCell product={item} /> },
    {
      key: 'tokens',
      text: t('web.operator.product.tokens'),
      numeric: true,
      wide: true,
      cell: (item) => (
        <span className="flex flex-col items-end">
          <TokenAmount tokens={item.tokens} />
          {item.free_tokens > 0
            ? (
              <span className="inline-flex gap-1 text-xs text-success-text">
                + <TokenAmount tokens={item.free_tokens} />
              </span>
            )
            : null}
        </span>
      ),
    },
    {
      key: 'price',
      text: t('web.orders.price'),
      numeric: true,
      wide: true,
      cell: ({ price }) => <Price amount={price} />,
    },
    {
      key: 'pays',
      text: t('web.operator.product.paysOut'),
      numeric: true,
      wide: true,
      cell: (item) => <Price amount={{ minor: item.payout_cents, currency: 'USD' }} />,
    },
    {
      key: 'cost',
      text: t('web.operator.product.cost'),
      numeric: true,
      wide: true,
      cell: (item) => (
        <span className="flex flex-col items-end gap-1">
          <Price
            amount={{ minor: item.marketing_cents, currency: 'USD' }}
            className={item.marketing_cents > 0 ? 'text-warning-text' : ''}
          />
          {item.below_payout ? <Pill tone="danger">{t('web.operator.product.below')}</Pill> : null}
        </span>
      ),
    },
    {
      key: 'where',
      text: t('web.operator.product.countries'),
      wide: true,
      cell: (
        { countries },
      ) => (countries.length === 0 ? t('web.operator.product.everywhere') : countries.join(' ')),
    },
    {
      key: 'do',
      text: t('web.admin.do'),
      cell: (item) => (
        <ProductActions
          product={item}
          onMove={isWhole ? (by) => move(item, by) : null}
          isFirst={item === products[0]}
          isLast={item === products.at(-1)}
          onOpen={onOpen}
        />
      ),
    },
  ];
  return (
    <Table
      caption={t('web.operator.product.title')}
      columns={columns}
      rows={products}
      keyOf={({ internal_id: id }) => id}
    />
  );
}

/** Moves a product up or down, edits it, or takes it off sale. */
function ProductActions({ product, onMove, isFirst, isLast, onOpen }: {
  readonly product: ManagedProductView;
  /** Null while not all products are loaded. */
  readonly onMove: ((by: 1 | -1) => void) | null;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onOpen: (open: Open) => void;
}) {
  const { t } = useTranslation('billing');
  const name = product.internal_id;
  const turn = t(`web.operator.product.${product.retired ? 'restore' : 'retire'}`);
  return (
    <span className="grid grid-cols-[auto_auto] justify-center justify-items-center gap-2 sm:flex">
      {onMove
        ? (
          <>
            <IconButton
              label={t('web.operator.product.up', { name })}
              disabled={isFirst}
              onClick={() => onMove(-1)}
            >
              <ArrowUp size={20} aria-hidden />
            </IconButton>
            <IconButton
              label={t('web.operator.product.down', { name })}
              disabled={isLast}
              onClick={() => onMove(1)}
            >
              <ArrowDown size={20} aria-hidden />
            </IconButton>
          </>
        )
        : null}
      <Button
        aria-label={`${t('web.operator.edit')} ${name}`}
        onClick={() => onOpen({ kind: 'edit', product })}
      >
        {t('web.operator.edit')}
      </Button>
      <Button
        aria-label={`${turn} ${name}`}
        onClick={() => onOpen({ kind: 'retire', product })}
      >
        {turn}
      </Button>
    </span>
  );
}

/** A product's name; on phones, with two columns, its tokens and price as well. */
function NameCell({ product }: { product: ManagedProductView }) {
  const { t } = useTranslation('billing');
  return (
    <span className="flex min-w-28 flex-col">
      <span className="font-bold wrap-anywhere">{product.internal_id}</span>
      <span className="text-xs text-muted">{t(`web.operator.kind.${product.kind}`)}</span>
      <span className="flex flex-wrap gap-x-3 text-xs sm:hidden">
        <TokenAmount tokens={tokensOf(product)} />
        <Price amount={product.price} />
        {product.below_payout ? <Pill tone="danger">{t('web.operator.product.below')}</Pill> : null}
      </span>
    </span>
  );
}
