/** A page without code of its own, which costs what React and Next.js cost. */
export default function Page() {
  return <h1>Empty</h1>;
}
