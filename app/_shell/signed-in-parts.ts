/* The parts of the header for signed-in visitors. One module, because each request delays the page on a slow phone. */
export { default as WalletCount } from '../_orders/wallet-count';
export { default as PersonMenu } from './person-menu';
