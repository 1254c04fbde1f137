DROP INDEX "coupons_merchant";--> statement-breakpoint
CREATE INDEX "coupons_merchant" ON "coupons" USING btree ("merchant_id","ends_at","id");