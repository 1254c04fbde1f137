/** Its status is 404. */
export { MissingMerchant as default } from '../../_merchants/missing-merchant';
