(* The rounding test of lib/core/arith/certify.h, on the floating-point numbers of IEEE 754.

   certify_d and certify_s say what exb_certify_d and exb_certify_s compute, operation by operation.
   If they accept, every real number in the enclosure rounds to the number they return: subnormal
   results, overflow of any intermediate result and overflow of the result included. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN.
From ExBLAS Require Import Base Constants.

Open Scope R_scope.

(* --- rounding to a format, overflow included ------------------------------ *)

Section Format.
Variables prec emax : Z.
Context (Hp : Prec_gt_0 prec) (He : Prec_lt_emax prec emax).
Notation fexp := (SpecFloat.fexp prec emax).
Notation rnd := (round radix2 fexp ZnearestE).
Notation number := (binary_float prec emax).

Lemma valid : Valid_exp fexp.
Proof. apply fexp_correct; assumption. Qed.
Local Existing Instance valid.

(* What IEEE 754 makes of the real number v in the mode to nearest, ties to even. *)
Definition rounds_to (v : R) (r : number) :=
  if Rlt_bool (Rabs (rnd v)) (pow2 emax)
  then is_finite r = true /\ B2R r = rnd v
  else r = B754_infinity (Rlt_bool v 0).

(* r <= what v rounds to, and r >= it. *)
Definition not_above (r : number) (v : R) :=
  match r with
  | B754_infinity true => True
  | B754_infinity false => pow2 emax <= rnd v
  | B754_nan => False
  | _ => B2R r <= rnd v
  end.

Definition not_below (r : number) (v : R) :=
  match r with
  | B754_infinity false => True
  | B754_infinity true => rnd v <= - pow2 emax
  | B754_nan => False
  | _ => rnd v <= B2R r
  end.

Lemma rnd_le x y : x <= y -> rnd x <= rnd y.
Proof. apply round_le; auto with typeclass_instances. Qed.

Lemma rnd_0 : rnd 0 = 0.
Proof. apply round_0; auto with typeclass_instances. Qed.

Lemma finite_rounds (r : number) v : is_finite r = true -> B2R r = rnd v -> rounds_to v r.
Proof.
  intros I E. unfold rounds_to. rewrite Rlt_bool_true; auto.
  rewrite <- E. apply abs_B2R_lt_emax.
Qed.

Lemma rounds_between r v : not_above r v -> not_below r v -> rounds_to v r.
Proof.
  intros A B.
  assert (P : 0 < pow2 emax) by apply bpow_gt_0.
  destruct r as [s|s| |s m e H]; simpl in A, B.
  - apply finite_rounds; simpl; auto; lra.
  - unfold rounds_to. destruct s.
    + rewrite Rlt_bool_false by (unfold Rabs; destruct Rcase_abs; lra).
      rewrite Rlt_bool_true; auto. apply Rnot_le_lt. intros L.
      apply rnd_le in L. rewrite rnd_0 in L. lra.
    + rewrite Rlt_bool_false by (unfold Rabs; destruct Rcase_abs; lra).
      rewrite Rlt_bool_false; auto. apply Rnot_lt_le. intros L.
      assert (K : rnd v <= rnd 0) by (apply rnd_le; lra). rewrite rnd_0 in K. lra.
  - easy.
  - apply finite_rounds; auto; simpl; lra.
Qed.

(* Numbers that compare equal are interchangeable, whatever the sign of a zero. *)
Lemma equal_not_below x y v : Beqb x y = true -> not_below y v -> not_below x v.
Proof.
  intros E B.
  destruct (is_finite x) eqn:Ix, (is_finite y) eqn:Iy.
  - rewrite Beqb_correct in E by auto.
    destruct (Req_bool_spec (B2R x) (B2R y)) as [Q|Q]; [|discriminate].
    destruct x, y; try discriminate; simpl in *; lra.
  - destruct y as [|t| |]; try discriminate; destruct x as [|s| |s]; try discriminate;
      destruct t; try discriminate; destruct s; discriminate.
  - destruct x as [|s| |]; try discriminate; destruct y as [|t| |t]; try discriminate;
      destruct s; try discriminate; destruct t; discriminate.
  - destruct x as [|s| |], y as [|t| |]; try discriminate.
    destruct s, t; try discriminate; auto.
Qed.

Lemma finite_not_above (r : number) v :
  is_finite r = true -> B2R r <= rnd v -> not_above r v.
Proof. destruct r; simpl; auto; discriminate. Qed.

Lemma finite_not_below (r : number) v :
  is_finite r = true -> rnd v <= B2R r -> not_below r v.
Proof. destruct r; simpl; auto; discriminate. Qed.

Lemma overflow_is (r : number) s :
  B2SF r = binary_overflow prec emax mode_NE s -> r = B754_infinity s.
Proof. destruct r; simpl; intros H; try discriminate. now inversion H. Qed.

Lemma sign_of_value (x : number) :
  (Bsign x = false -> 0 <= B2R x) /\ (Bsign x = true -> B2R x <= 0).
Proof.
  destruct x as [s|s| |s m e H]; simpl; split; intros E; try lra; rewrite E.
  - now apply F2R_ge_0.
  - now apply F2R_le_0.
Qed.

Lemma big_sum (x y : number) s : pow2 emax <= Rabs (rnd (B2R x + B2R y)) ->
  Bsign x = s -> Bsign x = Bsign y ->
  if s then rnd (B2R x + B2R y) <= - pow2 emax else pow2 emax <= rnd (B2R x + B2R y).
Proof.
  intros L Hx Hy.
  destruct (sign_of_value x) as [X1 X2], (sign_of_value y) as [Y1 Y2].
  destruct s.
  - assert (N : rnd (B2R x + B2R y) <= rnd 0).
    { apply rnd_le. specialize (X2 Hx). rewrite Hx in Hy. specialize (Y2 (eq_sym Hy)). lra. }
    rewrite rnd_0 in N. rewrite Rabs_left1 in L by easy. lra.
  - assert (N : rnd 0 <= rnd (B2R x + B2R y)).
    { apply rnd_le. specialize (X1 Hx). rewrite Hx in Hy. specialize (Y1 (eq_sym Hy)). lra. }
    rewrite rnd_0 in N. rewrite Rabs_pos_eq in L by easy. lra.
Qed.

(* A floating-point sum against the exact one of anything on one side of its second term. *)
Lemma sum_not_above (x y : number) v : is_finite x = true -> is_finite y = true ->
  B2R y <= v -> not_above (Bplus mode_NE x y) (B2R x + v).
Proof.
  intros Ix Iy L. pose proof (Bplus_correct prec emax _ _ mode_NE x y Ix Iy) as C.
  simpl round_mode in C.
  assert (M : rnd (B2R x + B2R y) <= rnd (B2R x + v)) by (apply rnd_le; lra).
  destruct (Rlt_bool_spec (Rabs (rnd (B2R x + B2R y))) (pow2 emax)) as [K|K].
  - apply finite_not_above; [apply C|]. destruct C as [E _]. rewrite E. exact M.
  - destruct C as [O S]. apply overflow_is in O. rewrite O. simpl.
    destruct (Bsign x) eqn:Sx; auto.
    pose proof (big_sum x y false K Sx ltac:(congruence)). simpl in H. lra.
Qed.

Lemma sum_not_below (x y : number) v : is_finite x = true -> is_finite y = true ->
  v <= B2R y -> not_below (Bplus mode_NE x y) (B2R x + v).
Proof.
  intros Ix Iy L. pose proof (Bplus_correct prec emax _ _ mode_NE x y Ix Iy) as C.
  simpl round_mode in C.
  assert (M : rnd (B2R x + v) <= rnd (B2R x + B2R y)) by (apply rnd_le; lra).
  destruct (Rlt_bool_spec (Rabs (rnd (B2R x + B2R y))) (pow2 emax)) as [K|K].
  - apply finite_not_below; [apply C|]. destruct C as [E _]. rewrite E. exact M.
  - destruct C as [O S]. apply overflow_is in O. rewrite O. simpl.
    destruct (Bsign x) eqn:Sx; auto.
    pose proof (big_sum x y true K Sx ltac:(congruence)). simpl in H. lra.
Qed.
End Format.

Arguments rounds_to {prec emax}.
Arguments not_above {prec emax}.
Arguments not_below {prec emax}.

(* --- constants as doubles -------------------------------------------------- *)

Definition double_of (c : float radix2) : double :=
  binary_normalize 53 1024 _ _ mode_NE (Fnum c) (Fexp c) false.

Lemma double_of_is c : (Z.abs (Fnum c) <= 2 ^ 53)%Z -> (-1074 <= Fexp c <= 970)%Z ->
  is_finite (double_of c) = true /\ B2R (double_of c) = F2R c.
Proof.
  intros Hm Hx.
  pose proof (binary_normalize_correct 53 1024 _ _ mode_NE (Fnum c) (Fexp c) false) as C.
  cbv zeta in C. fold (double_of c) in C.
  assert (E : RN (F2R (Float radix2 (Fnum c) (Fexp c))) = F2R c).
  { apply RN_F. now apply F_int. }
  change (SpecFloat.fexp 53 1024) with fexp64 in C. simpl round_mode in C. rewrite E in C.
  rewrite Rlt_bool_true in C; [tauto|].
  unfold F2R. rewrite Rabs_mult, <- abs_IZR, (Rabs_pos_eq (pow2 _)) by apply bpow_ge_0.
  apply Rle_lt_trans with (IZR (2 ^ 53) * pow2 970).
  - apply Rmult_le_compat; [apply IZR_le; lia|apply bpow_ge_0|now apply IZR_le|apply bpow_le; lia].
  - change (IZR (2 ^ 53)) with (pow2 53). rewrite <- bpow_plus. apply bpow_lt. lia.
Qed.

Ltac by_constant := apply double_of_is; cbn; lia.

(* --- the test --------------------------------------------------------------- *)

(* C: lib/core/arith/certify.h
   double e2 = (EXB_WIDENED_L * exb_fabs(l) + e * EXB_WIDENED_E) + EXB_UNDERFLOW_LOSS; *)
Definition widened (l e : double) : double :=
  dplus (dplus (dmult (double_of EXB_WIDENED_L) (Babs l)) (dmult e (double_of EXB_WIDENED_E)))
    (double_of EXB_UNDERFLOW_LOSS).

(* C: lib/core/arith/certify.h
   return (exb_bracket){h + (l - e2), h + (l + e2)}; *)
Definition low_end (h l e2 : double) : double := dplus h (dminus l e2).
Definition high_end (h l e2 : double) : double := dplus h (dplus l e2).

(* C: lib/core/arith/certify.h
   return m >= EXB_CERTIFIED_LEAST && m <= EXB_CERTIFIED_MOST; *)
Definition certifiable (h : double) : bool :=
  Bleb (double_of EXB_CERTIFIED_LEAST) (Babs h) && Bleb (Babs h) (double_of EXB_CERTIFIED_MOST).

(* C: lib/core/arith/certify.h
   *r = b.lo;
   return b.lo == b.hi && exb_certifiable(h); *)
Definition certify_d (h l e : double) : option double :=
  let lo := low_end h l (widened l e) in
  let hi := high_end h l (widened l e) in
  if Beqb lo hi && certifiable h then Some lo else None.

(* What e may leave out: half of what the test adds. *)
Definition slack := F2R EXB_UNDERFLOW_LOSS / 2.

(* 2^50 operations that each lose 2^-1075, and more than that. *)
Theorem slack_covers_underflow : IZR (2 ^ 50) * pow2 (-1075) <= slack.
Proof. unfold slack, EXB_UNDERFLOW_LOSS, F2R. cbn [Fnum Fexp]. numbers. lra. Qed.

(* e2 >= e + slack + u (|l| + e2), on real numbers. *)
Lemma widened_enough (l e : R) : F l -> F e -> 0 <= e ->
  let e2 := RN (RN (RN (F2R EXB_WIDENED_L * Rabs l) + RN (e * F2R EXB_WIDENED_E))
                + F2R EXB_UNDERFLOW_LOSS) in
  e + slack + u * (Rabs l + e2) <= e2.
Proof.
  intros Fl Fe He e2.
  assert (Hl := Rabs_pos l). set (A := Rabs l) in *.
  assert (FU : F (F2R EXB_UNDERFLOW_LOSS)) by (apply F_int; cbn; lia).
  assert (U0 : 0 <= F2R EXB_UNDERFLOW_LOSS) by (apply F2R_ge_0; easy).
  assert (L0 : 0 <= F2R EXB_WIDENED_L) by (apply F2R_ge_0; easy).
  assert (E0 : 0 <= F2R EXB_WIDENED_E) by (apply F2R_ge_0; easy).
  set (x := F2R EXB_WIDENED_L * A) in *. set (y := e * F2R EXB_WIDENED_E) in *.
  assert (X0 : 0 <= x) by now apply Rmult_le_pos.
  assert (Y0 : 0 <= y) by now apply Rmult_le_pos.
  pose proof (round_error x) as Rx. pose proof (round_error y) as Ry.
  rewrite (Rabs_pos_eq x X0) in Rx. rewrite (Rabs_pos_eq y Y0) in Ry.
  pose proof (add_error_exact _ _ (F_RN x) (F_RN y)) as Rz.
  pose proof (RN_pos x X0) as X1. pose proof (RN_pos y Y0) as Y1.
  rewrite (Rabs_pos_eq (RN x + RN y)) in Rz by lra.
  set (z := RN (RN x + RN y)) in *.
  assert (Z0 : 0 <= z) by (apply RN_pos; lra).
  pose proof (add_error_exact z _ (F_RN _) FU) as Re. fold e2 in Re.
  rewrite (Rabs_pos_eq (z + _)) in Re by lra.
  apply Rabs_le_inv in Rx, Ry, Rz, Re.
  pose proof u_pos as up. pose proof u_small as us.
  assert (Bz : (1 - u) * ((1 - u) * (x + y) - 2 * eta) <= z) by nra.
  assert (B2 : (1 - u) * (z + F2R EXB_UNDERFLOW_LOSS) <= e2) by lra.
  assert (G : (1 - u) * ((1 - u) * ((1 - u) * ((1 - u) * (x + y) - 2 * eta)
              + F2R EXB_UNDERFLOW_LOSS)) <= (1 - u) * e2).
  { apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (2 := B2).
    apply Rmult_le_compat_l; lra. }
  apply Rplus_le_reg_r with (- (u * e2)).
  replace (e2 + - (u * e2)) with ((1 - u) * e2) by ring.
  apply Rle_trans with (2 := G). clear - Hl He.
  unfold x, y, slack, F2R, EXB_WIDENED_L, EXB_WIDENED_E, EXB_UNDERFLOW_LOSS.
  cbn [Fnum Fexp]. numbers. lra.
Qed.

Lemma certifiable_finite h : certifiable h = true -> is_finite h = true.
Proof.
  unfold certifiable. intros H. apply andb_prop in H. destruct H as [_ H].
  destruct h as [s|s| |s m e B]; try reflexivity; vm_compute in H; discriminate.
Qed.

Lemma widened_finite l e : is_finite (widened l e) = true ->
  is_finite l = true /\ is_finite e = true /\
  B2R (widened l e) =
    RN (RN (RN (F2R EXB_WIDENED_L * Rabs (B2R l)) + RN (B2R e * F2R EXB_WIDENED_E))
        + F2R EXB_UNDERFLOW_LOSS).
Proof.
  intros H. unfold widened in *.
  apply finite_plus in H. destruct H as [H [_ E1]].
  apply finite_plus in H. destruct H as [Hx [Hy E2]].
  apply finite_mult in Hx. destruct Hx as [_ [Hl E3]].
  apply finite_mult in Hy. destruct Hy as [He [_ E4]].
  rewrite E1, E2, E3, E4, B2R_Babs.
  rewrite !(fun c a b => proj2 (double_of_is c a b)) by (cbn; lia).
  rewrite is_finite_Babs in Hl. auto.
Qed.

(* If e2 is not finite, then one end is a NaN, or the ends are Inf of both signs. *)
Lemma ends_of_infinite h l e2 : is_finite h = true -> is_finite e2 = false ->
  low_end h l e2 = B754_nan \/ high_end h l e2 = B754_nan \/
  exists s, low_end h l e2 = B754_infinity (negb s) /\ high_end h l e2 = B754_infinity s.
Proof.
  intros Ih I2. unfold low_end, high_end.
  destruct h as [w|w| |w mw xw Bw]; try discriminate;
    destruct e2 as [s|s| |s m x B]; try discriminate;
    destruct l as [t|t| |t n y D]; try destruct s; try destruct t;
    solve [now left | now right; left | now (right; right; exists true) |
           now (right; right; exists false)].
Qed.

Lemma accepted_finite h l e2 : is_finite h = true ->
  Beqb (low_end h l e2) (high_end h l e2) = true -> is_finite e2 = true.
Proof.
  intros Ih H. destruct (is_finite e2) eqn:I; auto. exfalso.
  destruct (ends_of_infinite h l e2 Ih I) as [E|[E|[s [E E']]]].
  - rewrite E in H. discriminate.
  - rewrite E in H. destruct (low_end h l e2) as [|t| |t]; try destruct t; discriminate.
  - rewrite E, E' in H. destruct s; discriminate.
Qed.

Section Ends.
Variables h l e : double.
Let e2 := widened l e.
Hypothesis Ih : is_finite h = true.
Hypothesis I2 : is_finite e2 = true.
Hypothesis He : 0 <= B2R e.

Lemma widened_bounds :
  0 < B2R e2 /\ RN (B2R l - B2R e2) <= B2R l - (B2R e + slack) /\
  B2R l + (B2R e + slack) <= RN (B2R l + B2R e2).
Proof.
  destruct (widened_finite l e I2) as [Il [Ie E]].
  pose proof (widened_enough (B2R l) (B2R e) (F_B2R l) (F_B2R e) He) as W.
  cbv zeta in W. rewrite <- E in W. fold e2 in W.
  assert (S : 0 < slack).
  { unfold slack, EXB_UNDERFLOW_LOSS, F2R. cbn [Fnum Fexp].
    pose proof (bpow_gt_0 radix2 (-1020)). lra. }
  pose proof (Rabs_pos (B2R l)) as L0. pose proof u_pos as U0. pose proof u_small as U1.
  assert (P : 0 < B2R e2).
  { assert (0 < (1 - u) * B2R e2); [|nra].
    assert (0 <= u * Rabs (B2R l)) by (apply Rmult_le_pos; lra). lra. }
  pose proof (add_error_exact (B2R l) (B2R e2) (F_B2R l) (F_B2R e2)) as A.
  pose proof (add_error_exact (B2R l) (- B2R e2) (F_B2R l) (F_opp _ (F_B2R e2))) as B.
  pose proof (Rabs_triang (B2R l) (B2R e2)) as TA. rewrite (Rabs_pos_eq (B2R e2)) in TA by lra.
  pose proof (Rabs_triang (B2R l) (- B2R e2)) as TB.
  rewrite Rabs_Ropp, (Rabs_pos_eq (B2R e2)) in TB by lra.
  fold (B2R l - B2R e2) in B, TB.
  apply Rabs_le_inv in A, B.
  apply (Rmult_le_compat_l u _ _ (Rlt_le _ _ U0)) in TA.
  apply (Rmult_le_compat_l u _ _ (Rlt_le _ _ U0)) in TB.
  repeat split; lra.
Qed.

Lemma positive_sign : Bsign e2 = false.
Proof.
  destruct widened_bounds as [P _].
  destruct (sign_of_value 53 1024 e2) as [_ N].
  destruct (Bsign e2); auto. specialize (N eq_refl). lra.
Qed.

Lemma low_end_not_above v : B2R h + B2R l - (B2R e + slack) <= v ->
  not_above (low_end h l e2) v.
Proof.
  intros L. destruct widened_bounds as [P [A _]].
  destruct (widened_finite l e I2) as [Il [Ie _]].
  pose proof (Bminus_correct 53 1024 _ _ mode_NE l e2 Il I2) as C.
  change (SpecFloat.fexp 53 1024) with fexp64 in C. simpl round_mode in C.
  unfold low_end.
  destruct (Rlt_bool_spec (Rabs (RN (B2R l - B2R e2))) (pow2 1024)) as [K|K].
  - destruct C as [E [I _]].
    replace v with (B2R h + (v - B2R h)) by ring.
    apply sum_not_above; auto. rewrite E. lra.
  - destruct C as [O S]. rewrite positive_sign in S. rewrite S in O.
    apply overflow_is in O. rewrite O. destruct h; simpl; auto; discriminate.
Qed.

Lemma high_end_not_below v : v <= B2R h + B2R l + (B2R e + slack) ->
  not_below (high_end h l e2) v.
Proof.
  intros L. destruct widened_bounds as [P [_ A]].
  destruct (widened_finite l e I2) as [Il [Ie _]].
  pose proof (Bplus_correct 53 1024 _ _ mode_NE l e2 Il I2) as C.
  change (SpecFloat.fexp 53 1024) with fexp64 in C. simpl round_mode in C.
  unfold high_end.
  destruct (Rlt_bool_spec (Rabs (RN (B2R l + B2R e2))) (pow2 1024)) as [K|K].
  - destruct C as [E [I _]].
    replace v with (B2R h + (v - B2R h)) by ring.
    apply sum_not_below; auto. rewrite E. lra.
  - destruct C as [O S]. rewrite positive_sign in S. rewrite S in O.
    apply overflow_is in O. rewrite O. destruct h; simpl; auto; discriminate.
Qed.
End Ends.

(* Accepted: whatever lies in [h + l - e, h + l + e], and within the slack of it, rounds to r. *)
Theorem certified_d h l e r : certify_d h l e = Some r -> 0 <= B2R e ->
  forall v, Rabs (v - (B2R h + B2R l)) <= B2R e + slack -> rounds_to v r.
Proof.
  unfold certify_d. intros H He v Hv.
  destruct (Beqb _ _) eqn:Q; [|discriminate]. destruct (certifiable h) eqn:C; [|discriminate].
  injection H as <-.
  pose proof (certifiable_finite h C) as Ih.
  pose proof (accepted_finite h l _ Ih Q) as I2.
  apply Rabs_le_inv in Hv.
  apply (rounds_between 53 1024 prec_53).
  - apply low_end_not_above; auto. lra.
  - apply equal_not_below with (1 := Q). apply high_end_not_below; auto. lra.
Qed.

(* An enclosure with Inf or NaN is never accepted. *)
Theorem certified_finite h l e r : certify_d h l e = Some r ->
  is_finite h = true /\ is_finite l = true /\ is_finite e = true.
Proof.
  unfold certify_d. intros H.
  destruct (Beqb _ _) eqn:Q; [|discriminate]. destruct (certifiable h) eqn:C; [|discriminate].
  pose proof (certifiable_finite h C) as Ih.
  destruct (widened_finite l e (accepted_finite h l _ Ih Q)) as [A [B _]]. auto.
Qed.

(* The sign of a zero is never in question: nothing that rounds to 0 is accepted. *)
Theorem certified_not_zero h l e r : certify_d h l e = Some r -> 0 <= B2R e -> B2R r <> 0 \/ is_finite r = false.
Proof.
  unfold certify_d. intros H He.
  destruct (Beqb _ _) eqn:Q; [|discriminate]. destruct (certifiable h) eqn:C; [|discriminate].
  injection H as <-.
  pose proof (certifiable_finite h C) as Ih.
  pose proof (accepted_finite h l _ Ih Q) as I2.
  destruct (is_finite (low_end h l (widened l e))) eqn:Il; [left; intros Z|now right].
  destruct (is_finite (high_end h l (widened l e))) eqn:Iu.
  - rewrite Beqb_correct in Q by auto.
    destruct (Req_bool_spec (B2R (low_end h l (widened l e))) (B2R (high_end h l (widened l e))))
      as [E|E]; [|discriminate].
    rewrite Z in E. unfold low_end, high_end in *.
    apply finite_plus in Il, Iu. destruct Il as [_ [Ia Ea]], Iu as [_ [Ib Eb]].
    rewrite Ea in Z. rewrite Eb in E.
    apply add_zero in Z; try apply F_B2R. apply eq_sym, add_zero in E; try apply F_B2R.
    apply finite_minus in Ia. apply finite_plus in Ib.
    destruct Ia as [_ [_ Ea']], Ib as [_ [_ Eb']].
    rewrite Ea' in Z. rewrite Eb' in E.
    destruct (widened_bounds l e I2 He) as [_ [L1 L2]].
    assert (S : 0 < slack).
    { unfold slack, EXB_UNDERFLOW_LOSS, F2R. cbn [Fnum Fexp].
      pose proof (bpow_gt_0 radix2 (-1020)). lra. }
    lra.
  - destruct (low_end h l (widened l e)), (high_end h l (widened l e)); try discriminate;
      simpl in Q; destruct s0; try discriminate; try (destruct s; discriminate).
Qed.

(* --- to float ---------------------------------------------------------------- *)

Notation single := (binary_float 24 128).

(* A conversion: one rounding. *)
Definition to_float (x : double) : single :=
  match x with
  | B754_zero s => B754_zero s
  | B754_infinity s => B754_infinity s
  | B754_nan => B754_nan
  | B754_finite s m e _ => binary_normalize 24 128 _ _ mode_NE (cond_Zopp s (Zpos m)) e s
  end.

(* C: lib/core/arith/certify.h
   return exb_from_bits(exb_bits(x) + 1);
   return exb_from_bits(exb_bits(x) - 1); *)
(* The next pattern is the next number away from 0, that of Inf is a NaN. *)
Definition away (x : double) : double :=
  if is_finite x then (if Bsign x then Bpred x else Bsucc x) else B754_nan.
Definition toward (x : double) : double := if Bsign x then Bsucc x else Bpred x.

(* C: lib/core/arith/certify.h
   if (!exb_certifiable(h) || !(b.lo * b.hi > 0))
   float lo = (float)(b.lo > 0 ? exb_toward(b.lo) : exb_away(b.lo));
   float hi = (float)(b.hi > 0 ? exb_away(b.hi) : exb_toward(b.hi));
   return lo == hi; *)
Definition zero : double := B754_zero false.
Definition certify_s (h l e : double) : option single :=
  let lo := low_end h l (widened l e) in
  let hi := high_end h l (widened l e) in
  if certifiable h && Bltb zero (dmult lo hi) then
    let x := to_float (if Bltb zero lo then toward lo else away lo) in
    let y := to_float (if Bltb zero hi then away hi else toward hi) in
    if Beqb x y then Some x else None
  else None.

Section Conversion.
Notation fexp32 := (FLT_exp (-149) 24).
Notation RN32 := (round radix2 fexp32 ZnearestE).

Lemma to_float_correct x : is_finite x = true ->
  if Rlt_bool (Rabs (RN32 (B2R x))) (pow2 128)
  then is_finite (to_float x) = true /\ B2R (to_float x) = RN32 (B2R x)
  else to_float x = B754_infinity (Rlt_bool (B2R x) 0).
Proof.
  intros I. destruct x as [s|s| |s m e B]; try discriminate.
  - simpl. rewrite round_0 by auto with typeclass_instances.
    rewrite Rabs_R0, Rlt_bool_true by exact (bpow_gt_0 radix2 128). auto.
  - pose proof (binary_normalize_correct 24 128 _ _ mode_NE (cond_Zopp s (Zpos m)) e s) as C.
    cbv zeta in C. change (SpecFloat.fexp 24 128) with fexp32 in C. simpl round_mode in C.
    change (B2R (B754_finite s m e B)) with (F2R (Float radix2 (cond_Zopp s (Zpos m)) e)).
    unfold to_float.
    destruct Rlt_bool; [tauto|]. now apply overflow_is in C.
Qed.

Lemma to_float_not_above x v : is_finite x = true -> B2R x <= v -> not_above (to_float x) v.
Proof.
  intros I L. pose proof (to_float_correct x I) as C.
  assert (M : RN32 (B2R x) <= RN32 v) by (apply (rnd_le 24 128 _); lra).
  destruct (Rlt_bool_spec (Rabs (RN32 (B2R x))) (pow2 128)) as [K|K].
  - apply finite_not_above; [apply C|]. destruct C as [_ E]. rewrite E. exact M.
  - rewrite C. destruct (Rlt_bool_spec (B2R x) 0) as [N|N]; cbn [not_above not_below]; auto.
    apply (rnd_le 24 128 _) in N. rewrite (rnd_0 24 128) in N.
    change (SpecFloat.fexp 24 128) with fexp32 in *.
    rewrite Rabs_pos_eq in K by exact N. lra.
Qed.

Lemma to_float_not_below x v : is_finite x = true -> v <= B2R x -> not_below (to_float x) v.
Proof.
  intros I L. pose proof (to_float_correct x I) as C.
  assert (M : RN32 v <= RN32 (B2R x)) by (apply (rnd_le 24 128 _); lra).
  destruct (Rlt_bool_spec (Rabs (RN32 (B2R x))) (pow2 128)) as [K|K].
  - apply finite_not_below; [apply C|]. destruct C as [_ E]. rewrite E. exact M.
  - rewrite C. destruct (Rlt_bool_spec (B2R x) 0) as [N|N]; cbn [not_above not_below]; auto.
    apply Rlt_le, (rnd_le 24 128 _) in N. rewrite (rnd_0 24 128) in N.
    change (SpecFloat.fexp 24 128) with fexp32 in *.
    rewrite Rabs_left1 in K by exact N. lra.
Qed.
End Conversion.

(* Below and above all that rounds to a number: its neighbours. *)
Lemma pred_not_above x v : is_finite x = true -> B2R x <= RN v -> not_above (to_float (Bpred x)) v.
Proof.
  intros I L.
  pose proof (Bpred_correct 53 1024 _ _ x I) as C.
  change (SpecFloat.fexp 53 1024) with fexp64 in C.
  destruct (Rlt_bool (- pow2 1024) (pred radix2 fexp64 (B2R x))).
  - destruct C as [E [J _]]. apply to_float_not_above; auto. rewrite E.
    apply Rle_trans with (pred radix2 fexp64 (RN v)).
    + apply pred_le; auto with typeclass_instances; [apply F_B2R|apply F_RN].
    + apply pred_round_le_id; auto with typeclass_instances.
  - destruct (Bpred x) as [s|s| |]; try discriminate. injection C as ->. exact Logic.I.
Qed.

Lemma succ_not_below x v : is_finite x = true -> RN v <= B2R x -> not_below (to_float (Bsucc x)) v.
Proof.
  intros I L.
  pose proof (Bsucc_correct 53 1024 _ _ x I) as C.
  change (SpecFloat.fexp 53 1024) with fexp64 in C.
  destruct (Rlt_bool (succ radix2 fexp64 (B2R x)) (pow2 1024)).
  - destruct C as [E [J _]]. apply to_float_not_below; auto. rewrite E.
    apply Rle_trans with (succ radix2 fexp64 (RN v)).
    + apply succ_round_ge_id; auto with typeclass_instances.
    + apply succ_le; auto with typeclass_instances; [apply F_RN|apply F_B2R].
  - destruct (Bsucc x) as [s|s| |]; try discriminate. injection C as ->. exact Logic.I.
Qed.

(* What the outward step makes of an end: its lower or upper neighbour, or a NaN. *)
Lemma low_step x : Bltb zero x = true \/ Bltb x zero = true ->
  (if Bltb zero x then toward x else away x) = Bpred x /\ is_finite x = true \/
  (if Bltb zero x then toward x else away x) = B754_nan \/ x = B754_infinity false.
Proof.
  intros H. unfold toward, away.
  destruct x as [s|s| |s m e B]; try destruct s; destruct H; try discriminate;
    solve [right; right; reflexivity | left; split; reflexivity | right; left; reflexivity].
Qed.

Lemma high_step x : Bltb zero x = true \/ Bltb x zero = true ->
  (if Bltb zero x then away x else toward x) = Bsucc x /\ is_finite x = true \/
  (if Bltb zero x then away x else toward x) = B754_nan \/ x = B754_infinity true.
Proof.
  intros H. unfold toward, away.
  destruct x as [s|s| |s m e B]; try destruct s; destruct H; try discriminate;
    solve [right; right; reflexivity | left; split; reflexivity | right; left; reflexivity].
Qed.

Lemma signed_factors (x y : double) : Bltb zero (dmult x y) = true ->
  (Bltb zero x = true \/ Bltb x zero = true) /\ (Bltb zero y = true \/ Bltb y zero = true).
Proof.
  intros H.
  destruct x as [s|s| |s m e B], y as [t|t| |t n f D]; try discriminate;
    destruct s, t; try discriminate; cbn; auto.
Qed.

Theorem certified_s h l e r : certify_s h l e = Some r -> 0 <= B2R e ->
  forall v, Rabs (v - (B2R h + B2R l)) <= B2R e + slack -> rounds_to v r.
Proof.
  unfold certify_s. intros H He v Hv.
  destruct (certifiable h) eqn:C; [|discriminate].
  destruct (Bltb zero (dmult _ _)) eqn:P; [|discriminate]. simpl andb in H. cbv iota in H.
  destruct (Beqb _ _) eqn:Q; [|discriminate]. injection H as <-.
  pose proof (certifiable_finite h C) as Ih.
  destruct (signed_factors _ _ P) as [Pl Ph].
  assert (I2 : is_finite (widened l e) = true).
  { destruct (is_finite (widened l e)) eqn:I; auto. exfalso.
    destruct (ends_of_infinite h l _ Ih I) as [E|[E|[s [E E']]]].
    - rewrite E in Pl. destruct Pl; discriminate.
    - rewrite E in Ph. destruct Ph; discriminate.
    - rewrite E, E' in P. destruct s; discriminate. }
  apply Rabs_le_inv in Hv.
  assert (A : not_above (low_end h l (widened l e)) v) by (apply low_end_not_above; auto; lra).
  assert (B : not_below (high_end h l (widened l e)) v) by (apply high_end_not_below; auto; lra).
  set (lo := low_end h l (widened l e)) in *. set (hi := high_end h l (widened l e)) in *.
  clearbody lo hi.
  destruct (low_step lo Pl) as [[El Il]|[El|El]].
  2: { rewrite El in Q. discriminate. }
  2: { (* lo = +Inf, hence hi = +Inf, whose next pattern is a NaN *)
    destruct (high_step hi Ph) as [[Eh Iu]|[Eh|Eh]].
    - rewrite El in A. cbn [not_above] in A.
      assert (K : RN v < pow2 1024).
      { apply Rle_lt_trans with (B2R hi); [destruct hi; try discriminate; exact B|].
        apply Rle_lt_trans with (Rabs (B2R hi)); [apply Rle_abs|apply abs_B2R_lt_emax]. }
      change (SpecFloat.fexp 53 1024) with fexp64 in A. lra.
    - rewrite Eh in Q. destruct (to_float _) as [|t| |t]; try destruct t; discriminate.
    - subst. discriminate. }
  destruct (high_step hi Ph) as [[Eh Iu]|[Eh|Eh]].
  2: { rewrite Eh in Q. destruct (to_float _) as [|t| |t]; try destruct t; discriminate. }
  2: { subst hi. assert (K : - pow2 1024 < RN v).
    { apply Rlt_le_trans with (B2R lo); [|destruct lo; try discriminate; exact A].
      pose proof (abs_B2R_lt_emax 53 1024 lo) as L. apply Rabs_def2 in L. lra. }
    cbn [not_below] in B. change (SpecFloat.fexp 53 1024) with fexp64 in B. lra. }
  rewrite El, Eh in *.
  apply (rounds_between 24 128 prec_24).
  - apply pred_not_above; auto. destruct lo; try discriminate; exact A.
  - apply equal_not_below with (1 := Q). apply succ_not_below; auto.
    destruct hi; try discriminate; exact B.
Qed.
