import { ChangesSection } from '../changes-section.tsx';
import { CodesSection } from './codes-section.tsx';
import { PayoutSection } from './payout-section.tsx';
import { ProductsSection } from './products-section.tsx';
import { RulesSection } from './rules-section.tsx';
import { SellerSection } from './seller-section.tsx';

/** Each section loads its own data, so that one error hides no other section. */
export function OfferSections() {
  return (
    <div className="flex flex-col gap-6">
      <ProductsSection />
      <RulesSection />
      <CodesSection />
      <PayoutSection />
      <SellerSection />
      <ChangesSection />
    </div>
  );
}
