(* The error-free transformations of lib/core/arith/eft.h, on the numbers of IEEE 754.

   No theorem asks for a range that the code does not look at: where a computed error is finite,
   nothing overflowed on the way to it. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN Plus_error Mult_error Pff2Flocq.
From ExBLAS Require Import Base Constants Certificate.

Open Scope R_scope.

(* --- sums --------------------------------------------------------------------- *)

(* The same on real numbers, with RN for each operation. *)
Definition sum_error (a b : R) :=
  let s := RN (a + b) in
  let z := RN (s - a) in
  RN (RN (a - RN (s - z)) + RN (b - z)).

Lemma even_is_symmetric z : negb (Z.even z) = negb (negb (Z.even (- (z + 1)))).
Proof. rewrite Z.even_opp, Z.even_add. now destruct (Z.even z). Qed.

Theorem sum_error_exact a b : F a -> F b -> RN (a + b) + sum_error a b = a + b.
Proof.
  intros Fa Fb. unfold sum_error.
  apply (TwoSum_correct (-1074) 53 (fun z => negb (Z.even z))); auto; try lia.
  apply even_is_symmetric.
Qed.

Lemma F_sum_error a b : F (sum_error a b).
Proof. apply F_RN. Qed.

(* C: lib/core/arith/eft.h
   double s = a + b;
   double z = s - a;
   *err = (a - (s - z)) + (b - z); *)
Definition two_sum (a b : double) : double * double :=
  let s := dplus a b in
  let z := dminus s a in
  (s, dplus (dminus a (dminus s z)) (dminus b z)).

Theorem two_sum_exact a b s e : two_sum a b = (s, e) -> is_finite e = true ->
  is_finite a = true /\ is_finite b = true /\ is_finite s = true /\
  B2R s = RN (B2R a + B2R b) /\ B2R e = sum_error (B2R a) (B2R b) /\
  B2R s + B2R e = B2R a + B2R b.
Proof.
  unfold two_sum. intros H I. injection H as <- <-.
  apply finite_plus in I. destruct I as [I1 [I2 E]].
  apply finite_minus in I1, I2. destruct I1 as [Ia [I3 E1]], I2 as [Ib [Iz E2]].
  apply finite_minus in I3. destruct I3 as [Is [_ E3]].
  apply finite_minus in Iz. destruct Iz as [_ [_ E4]].
  pose proof (finite_plus a b Is) as [_ [_ E5]].
  rewrite E1, E2, E3, E4, E5 in E.
  repeat split; auto.
  rewrite E5, E. now apply sum_error_exact; apply F_B2R.
Qed.

(* C: lib/core/arith/eft.h
   double s = a + b;
   *err = b - (s - a); *)
Definition fast_two_sum (a b : double) : double * double :=
  let s := dplus a b in (s, dminus b (dminus s a)).

Theorem fast_two_sum_exact a b s e : fast_two_sum a b = (s, e) -> is_finite e = true ->
  Rabs (B2R b) <= Rabs (B2R a) \/ B2R a = 0 ->
  B2R s = RN (B2R a + B2R b) /\ B2R s + B2R e = B2R a + B2R b.
Proof.
  unfold fast_two_sum. intros H I L. injection H as <- <-.
  apply finite_minus in I. destruct I as [Ib [I3 E]].
  apply finite_minus in I3. destruct I3 as [Is [Ia E3]].
  pose proof (finite_plus a b Is) as [_ [_ E5]].
  rewrite E3, E5 in E. rewrite E, E5. split; auto.
  pose proof (F_B2R a) as Fa. pose proof (F_B2R b) as Fb.
  destruct L as [L|Z].
  - replace (RN (RN (B2R a + B2R b) - B2R a)) with (- RN (B2R a - RN (B2R a + B2R b)))
      by (rewrite <- RN_opp; f_equal; ring).
    replace (B2R b - - RN (B2R a - RN (B2R a + B2R b)))
      with (B2R b + RN (B2R a - RN (B2R a + B2R b))) by ring.
    apply (Fast2Sum_correct (-1074) 53 (fun z => negb (Z.even z))); auto; try lia.
    apply even_is_symmetric.
  - rewrite Z, Rplus_0_l, (RN_F (B2R b)) by auto.
    rewrite Rminus_0_r, (RN_F (B2R b)) by auto. rewrite Rminus_diag_eq, RN_0 by easy. ring.
Qed.

(* --- products ------------------------------------------------------------------- *)

Notation dfma := (Bfma (prec := 53) (emax := 1024) mode_NE).

Lemma finite_fma (x y z : double) : is_finite (dfma x y z) = true ->
  is_finite x = true /\ is_finite y = true /\ is_finite z = true /\
  B2R (dfma x y z) = RN (B2R x * B2R y + B2R z).
Proof.
  intros H.
  assert (A : is_finite x = true /\ is_finite y = true /\ is_finite z = true).
  { destruct x as [s|s| |s m e B], y as [t|t| |t n f D], z as [w|w| |w k g G]; auto;
      try discriminate; cbn in H; try (destruct (Bool.eqb _ _); discriminate);
      destruct s, t, w; discriminate. }
  destruct A as [A [B C]]. repeat split; auto.
  pose proof (Bfma_correct 53 1024 _ _ mode_NE x y z A B C) as D. cbv zeta in D.
  destruct Rlt_bool; [apply D|].
  rewrite (overflow_not_finite _ _ D) in H. discriminate.
Qed.

(* C: lib/core/arith/eft.h
   double p = a * b;
   *err = exb_fma(a, b, -p); *)
Definition two_prod (a b : double) : double * double :=
  let p := dmult a b in (p, dfma a b (Bopp p)).

Lemma two_prod_real a b p e : two_prod a b = (p, e) -> is_finite e = true ->
  is_finite a = true /\ is_finite b = true /\ is_finite p = true /\
  B2R p = RN (B2R a * B2R b) /\ B2R e = RN (B2R a * B2R b - B2R p).
Proof.
  unfold two_prod. intros H I. injection H as Hp He. rewrite <- He in I.
  apply finite_fma in I. destruct I as [Ia [Ib [Ip E]]].
  rewrite is_finite_Bopp in Ip. pose proof (finite_mult a b Ip) as [_ [_ Ep]].
  rewrite B2R_Bopp in E. rewrite <- Hp, <- He. auto.
Qed.

(* Above this a product's error is a double. *)
Lemma product_error_is_number a b : F a -> F b -> pow2 (-968) <= Rabs (RN (a * b)) \/ a * b = 0 ->
  F (a * b - RN (a * b)).
Proof.
  intros Fa Fb H.
  replace (a * b - RN (a * b)) with (- (RN (a * b) - a * b)) by ring.
  apply F_opp, mult_error_FLT; auto with typeclass_instances.
  intros N. destruct H as [H|H]; [|contradiction].
  apply Rnot_lt_le. intros L. apply Rle_not_lt in H. apply H. clear H.
  apply Rle_lt_trans with (pow2 (-969)).
  - apply RN_abs_le; [|now apply Rlt_le]. apply generic_format_bpow. unfold FLT_exp. lia.
  - apply bpow_lt. lia.
Qed.

Theorem two_prod_exact a b p e : two_prod a b = (p, e) -> is_finite e = true ->
  pow2 (-968) <= Rabs (B2R p) \/ B2R a * B2R b = 0 ->
  B2R p + B2R e = B2R a * B2R b.
Proof.
  intros H I R. destruct (two_prod_real _ _ _ _ H I) as [_ [_ [_ [Ep Ee]]]].
  rewrite Ee, RN_F; [ring|]. rewrite Ep in *.
  apply product_error_is_number; auto; apply F_B2R.
Qed.

(* Below it, and anywhere else, what two_prod loses. *)
Theorem two_prod_loss a b p e : two_prod a b = (p, e) -> is_finite e = true ->
  Rabs (B2R a * B2R b - (B2R p + B2R e)) <= pow2 (-1075).
Proof.
  intros H I. destruct (two_prod_real _ _ _ _ H I) as [_ [_ [_ [Ep Ee]]]].
  pose proof (F_B2R a) as Fa. pose proof (F_B2R b) as Fb.
  destruct (Rle_or_lt (pow2 (-968)) (Rabs (B2R p))) as [L|L].
  - rewrite (two_prod_exact a b p e H I) by now left.
    rewrite Rminus_diag_eq, Rabs_R0 by easy. apply bpow_ge_0.
  - rewrite Ee. set (r := B2R a * B2R b - B2R p).
    replace (B2R a * B2R b - (B2R p + RN r)) with (- (RN r - r)) by (unfold r; ring).
    rewrite Rabs_Ropp. replace (-1075)%Z with (-1021 - 54)%Z by lia.
    apply round_error_below; [|lia]. unfold r. rewrite Ep.
    replace (B2R a * B2R b - RN (B2R a * B2R b)) with (- (RN (B2R a * B2R b) - B2R a * B2R b)) by ring.
    rewrite Rabs_Ropp. apply Rle_trans with (pow2 (-967 - 54)); [|apply bpow_le; lia].
    apply round_error_below; [|lia].
    apply Rnot_lt_le. intros N. apply Rlt_not_le in L. apply L. rewrite Ep, RN_abs.
    apply Rle_trans with (pow2 (-967)); [apply bpow_le; lia|].
    rewrite <- (RN_F (pow2 (-967))) by (apply generic_format_bpow; unfold FLT_exp; lia).
    apply RN_le. lra.
Qed.

(* --- products that may be called exact -------------------------------------------- *)

(* C: lib/core/arith/eft.h
   return m >= EXB_PRODUCT_LEAST && m <= EXB_PRODUCT_MOST; *)
Definition product_in_range (p : double) : bool :=
  Bleb (double_of EXB_PRODUCT_LEAST) (Babs p) && Bleb (Babs p) (double_of EXB_PRODUCT_MOST).

(* C: lib/core/arith/enclosure.h
   if (a == 0 || b == 0) {
   return exb_fabs(a) <= DBL_MAX && exb_fabs(b) <= DBL_MAX;
   *p = exb_two_prod(a, b, q);
   return exb_product_in_range( *p); *)
Definition exact_product (a b : double) : option (double * double) :=
  if Beqb a zero || Beqb b zero
  then if is_finite a && is_finite b then Some (zero, zero) else None
  else if product_in_range (fst (two_prod a b)) then Some (two_prod a b) else None.

Lemma in_range_is p : product_in_range p = true ->
  is_finite p = true /\ F2R EXB_PRODUCT_LEAST <= Rabs (B2R p) <= F2R EXB_PRODUCT_MOST.
Proof.
  unfold product_in_range. intros H. apply andb_prop in H. destruct H as [L M].
  assert (I : is_finite p = true).
  { destruct p as [s|s| |s m e B]; try reflexivity; [vm_compute in M|vm_compute in L]; discriminate. }
  destruct (double_of_is EXB_PRODUCT_LEAST) as [I1 E1]; try (cbn; lia).
  destruct (double_of_is EXB_PRODUCT_MOST) as [I2 E2]; try (cbn; lia).
  rewrite Bleb_correct in L by (rewrite ?is_finite_Babs; auto).
  rewrite Bleb_correct in M by (rewrite ?is_finite_Babs; auto).
  rewrite B2R_Babs, ?E1, ?E2 in *. split; auto. split.
  - now destruct (Rle_bool_spec (F2R EXB_PRODUCT_LEAST) (Rabs (B2R p))).
  - now destruct (Rle_bool_spec (Rabs (B2R p)) (F2R EXB_PRODUCT_MOST)).
Qed.

(* The error is finite because the product is far from overflow. *)
Lemma in_range_error_finite a b : product_in_range (fst (two_prod a b)) = true ->
  is_finite (snd (two_prod a b)) = true.
Proof.
  intros H. apply in_range_is in H. simpl fst in H. destruct H as [I [_ M]].
  destruct (finite_mult a b I) as [Ia [Ib E]]. simpl snd.
  pose proof (Bfma_correct 53 1024 _ _ mode_NE a b (Bopp (dmult a b)) Ia Ib) as C.
  rewrite is_finite_Bopp in C. specialize (C I). cbv zeta in C.
  change (SpecFloat.fexp 53 1024) with fexp64 in C. simpl round_mode in C.
  rewrite Rlt_bool_true in C; [apply C|].
  apply Rle_lt_trans with (pow2 961); [|apply bpow_lt; lia].
  apply RN_abs_le. { apply generic_format_bpow. unfold FLT_exp. lia. }
  rewrite B2R_Bopp, E.
  replace (B2R a * B2R b + - RN (B2R a * B2R b)) with (- (RN (B2R a * B2R b) - B2R a * B2R b)) by ring.
  rewrite Rabs_Ropp. apply Rle_trans with (pow2 (961 - 54)); [|apply bpow_le; lia].
  apply round_error_below; [|lia].
  apply Rnot_lt_le. intros N. apply Rle_not_lt in M. apply M. clear M.
  rewrite E, RN_abs.
  apply Rlt_le_trans with (pow2 961).
  - unfold EXB_PRODUCT_MOST, F2R. cbn [Fnum Fexp]. rewrite Rmult_1_l. apply bpow_lt. lia.
  - rewrite <- (RN_F (pow2 961)) by (apply generic_format_bpow; unfold FLT_exp; lia).
    apply RN_le. lra.
Qed.

Theorem exact_product_is_exact a b p q : exact_product a b = Some (p, q) ->
  B2R p + B2R q = B2R a * B2R b.
Proof.
  unfold exact_product. intros H.
  destruct (Beqb a zero || Beqb b zero) eqn:Z.
  - destruct (is_finite a && is_finite b) eqn:I; [|discriminate]. injection H as <- <-.
    apply andb_prop in I. destruct I as [Ia Ib].
    assert (E : B2R a = 0 \/ B2R b = 0).
    { apply orb_prop in Z. rewrite !Beqb_correct in Z by auto. simpl (B2R zero) in Z.
      destruct (Req_bool_spec (B2R a) 0); auto. destruct (Req_bool_spec (B2R b) 0); auto.
      destruct Z; discriminate. }
    simpl. destruct E as [-> | ->]; ring.
  - destruct (product_in_range _) eqn:P; [|discriminate].
    pose proof (in_range_error_finite a b P) as I.
    destruct (two_prod a b) as [p' q'] eqn:T. injection H as -> ->.
    apply (two_prod_exact a b p q T I). left.
    apply in_range_is in P. simpl fst in P. apply Rle_trans with (2 := proj1 (proj2 P)).
    unfold EXB_PRODUCT_LEAST, F2R. cbn [Fnum Fexp]. rewrite Rmult_1_l. apply bpow_le. lia.
Qed.

(* A coefficient known in two parts, high + low, times x: the term is exact where both products are,
   not where that of the high part is. *)
Theorem exact_term_in_parts high low x p q p' q' :
  exact_product high x = Some (p, q) -> exact_product low x = Some (p', q') ->
  (B2R high + B2R low) * B2R x = (B2R p + B2R q) + (B2R p' + B2R q').
Proof.
  intros H L. rewrite (exact_product_is_exact _ _ _ _ H), (exact_product_is_exact _ _ _ _ L). ring.
Qed.

(* The precondition cannot be dropped: 2^-1000 times 2^-100 and its error both come out as 0. *)
Theorem zero_product_is_not_exact : exists low x,
  B2R low <> 0 /\ B2R x <> 0 /\ B2R (fst (two_prod low x)) = 0 /\ B2R (snd (two_prod low x)) = 0 /\
  exact_product low x = None.
Proof.
  exists (double_of (Float radix2 1 (-1000))), (double_of (Float radix2 1 (-100))).
  split; [|split; [|split; [|split]]].
  - rewrite (fun c a b => proj2 (double_of_is c a b)) by (cbn; lia).
    unfold F2R. cbn [Fnum Fexp]. rewrite Rmult_1_l. apply Rgt_not_eq, bpow_gt_0.
  - rewrite (fun c a b => proj2 (double_of_is c a b)) by (cbn; lia).
    unfold F2R. cbn [Fnum Fexp]. rewrite Rmult_1_l. apply Rgt_not_eq, bpow_gt_0.
  - assert (E : fst (two_prod (double_of (Float radix2 1 (-1000))) (double_of (Float radix2 1 (-100))))
                = B754_zero false).
    { apply B2SF_inj. vm_compute. reflexivity. }
    now rewrite E.
  - assert (E : exists s, snd (two_prod (double_of (Float radix2 1 (-1000)))
                                 (double_of (Float radix2 1 (-100)))) = B754_zero s).
    { exists false. apply B2SF_inj. vm_compute. reflexivity. }
    destruct E as [s E]. now rewrite E.
  - vm_compute. reflexivity.
Qed.

(* A sum of 2^40 products in range does not overflow. *)
Theorem products_do_not_overflow : IZR (2 ^ 40) * F2R EXB_PRODUCT_MOST <= pow2 1000.
Proof.
  unfold EXB_PRODUCT_MOST, F2R. cbn [Fnum Fexp]. rewrite Rmult_1_l.
  change (IZR (2 ^ 40)) with (pow2 40). rewrite <- bpow_plus. apply bpow_le. lia.
Qed.
