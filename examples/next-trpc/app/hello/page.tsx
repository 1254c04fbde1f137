export default function Hello() {
  return <p>Hello. The limit of this page is in proxy.ts.</p>;
}
