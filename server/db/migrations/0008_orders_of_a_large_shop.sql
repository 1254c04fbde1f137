CREATE INDEX "orders_newest" ON "orders" USING btree ("created_at") WHERE "orders"."code" <> '';--> statement-breakpoint
CREATE INDEX "orders_of_coupon" ON "orders" USING btree ("coupon_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_ended" ON "orders" USING btree ("status","created_at") WHERE "orders"."status" in ('cancelled', 'expired');