(* Approximate inverses (lib/lapack/inverse_bound.h, gram.h): that one is near the inverse, and what
   products of its factors leave. Matrices are functions of a row and a column; sums go over the
   indices below n. *)
From Coq Require Import Reals Lra Lia.

Open Scope R_scope.

Section Sums.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma sum_eq n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; simpl; intros H; [reflexivity|].
  rewrite IH, H; [reflexivity|lia|intros; apply H; lia].
Qed.

Lemma sum_add n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_scale n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_pos n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros H. induction n as [|n IH]; simpl; [lra|].
  apply Rplus_le_le_0_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma sum_abs n f : Rabs (sum n f) <= sum n (fun i => Rabs (f i)).
Proof.
  induction n as [|n IH]; simpl; [rewrite Rabs_R0; lra|].
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Lemma sum_swap n m f : sum n (fun i => sum m (f i)) = sum m (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [|n IH]; simpl.
  - induction m as [|m IH]; simpl; [|rewrite <- IH]; lra.
  - rewrite IH, <- sum_add. reflexivity.
Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl; lra|]. rewrite S_INR. simpl. rewrite IH. lra. Qed.

End Sums.

Section Inverse.

Variable n : nat.

Definition mul (A B : nat -> nat -> R) i j := sum n (fun k => A i k * B k j).
Definition size (A : nat -> nat -> R) i j := Rabs (A i j).
Definition unit i j : R := if Nat.eqb i j then 1 else 0.

Lemma mul_assoc A B C i j : mul (mul A B) C i j = mul A (mul B C) i j.
Proof.
  unfold mul. rewrite (sum_eq n _ (fun k => sum n (fun l => A i l * B l k * C k j))).
  2: { intros k _. rewrite Rmult_comm, <- sum_scale. apply sum_eq. intros. ring. }
  rewrite sum_swap. apply sum_eq. intros l _. rewrite <- sum_scale. apply sum_eq. intros. ring.
Qed.

Lemma mul_size A B i j : Rabs (mul A B i j) <= mul (size A) (size B) i j.
Proof.
  unfold mul. apply Rle_trans with (1 := sum_abs _ _). apply sum_le. intros k _.
  unfold size. rewrite Rabs_mult. lra.
Qed.

Lemma mul_add A B C D i j : (forall k, (k < n)%nat -> A i k = B i k + C i k) ->
  mul A D i j = mul B D i j + mul C D i j.
Proof.
  intros H. unfold mul. rewrite <- sum_add. apply sum_eq. intros k Hk. rewrite H by auto. ring.
Qed.

Lemma mul_sub A B C i j : mul A (fun k l => B k l - C k l) i j = mul A B i j - mul A C i j.
Proof.
  unfold mul. rewrite (sum_eq n _ (fun k => A i k * B k j + -1 * (A i k * C k j))) by (intros; ring).
  rewrite sum_add, sum_scale. ring.
Qed.

Lemma mul_le A B C D i j :
  (forall k, (k < n)%nat -> A i k <= C i k) -> (forall k, (k < n)%nat -> B k j <= D k j) ->
  (forall k, (k < n)%nat -> 0 <= A i k /\ 0 <= D k j) -> mul A B i j <= mul C D i j.
Proof.
  intros HA HB P. apply sum_le. intros k Hk. destruct (P k Hk).
  apply Rle_trans with (A i k * D k j);
    [apply Rmult_le_compat_l|apply Rmult_le_compat_r]; auto.
Qed.

Lemma mul_scale_left c A B i j : mul (fun k l => c * A k l) B i j = c * mul A B i j.
Proof. unfold mul. rewrite <- sum_scale. apply sum_eq. intros. ring. Qed.

Lemma mul_scale_right c A B i j : mul A (fun k l => c * B k l) i j = c * mul A B i j.
Proof. unfold mul. rewrite <- sum_scale. apply sum_eq. intros. ring. Qed.

Lemma size_pos A i j : 0 <= size A i j.
Proof. apply Rabs_pos. Qed.

Lemma mul_size_pos A B i j : 0 <= mul (size A) (size B) i j.
Proof. apply sum_pos. intros. apply Rmult_le_pos; apply size_pos. Qed.

Lemma column_sum A B j :
  sum n (fun i => mul (size A) (size B) i j) = sum n (fun k => sum n (fun i => Rabs (A i k)) * Rabs (B k j)).
Proof.
  unfold mul. rewrite sum_swap. apply sum_eq. intros k _.
  rewrite Rmult_comm, <- sum_scale. apply sum_eq. intros. unfold size. ring.
Qed.

(* Lemma 1: x solves S x = r; what it differs by from y = R r is E x. *)
Theorem inverse_is_near E x y q Y : 0 <= q < 1 ->
  (forall i, (i < n)%nat -> sum n (size E i) <= q) ->
  (forall i, (i < n)%nat -> x i - y i = sum n (fun j => E i j * x j)) ->
  (forall i, (i < n)%nat -> Rabs (y i) <= Y) ->
  forall i, (i < n)%nat -> Rabs (x i - y i) <= sum n (size E i) * (Y / (1 - q)).
Proof.
  intros Hq HE Hx HY.
  (* some X bounds all |x_j|, and is attained *)
  assert (Hmax : forall m, (m <= n)%nat -> exists X, 0 <= X /\
    (forall j, (j < m)%nat -> Rabs (x j) <= X) /\
    (X = 0 \/ exists j, (j < m)%nat /\ X = Rabs (x j))).
  { induction m as [|m IH]; intros Hm.
    - exists 0. split; [lra|]. split; [lia|auto].
    - destruct IH as (X & X0 & B & A); [lia|].
      destruct (Rle_dec (Rabs (x m)) X) as [L|L].
      + exists X. split; [lra|]. split.
        * intros j Hj. destruct (Nat.eq_dec j m); [subst; lra|apply B; lia].
        * destruct A as [A|(j & Hj & A)]; [auto|right; exists j; split; [lia|auto]].
      + exists (Rabs (x m)). split; [apply Rabs_pos|]. split.
        * intros j Hj. destruct (Nat.eq_dec j m); [subst; lra|].
          apply Rle_trans with X; [apply B; lia|lra].
        * right. exists m. split; [lia|auto]. }
  destruct (Hmax n ltac:(lia)) as (X & X0 & B & A).
  assert (D : forall i, (i < n)%nat -> Rabs (x i - y i) <= sum n (size E i) * X).
  { intros i Hi. rewrite Hx by auto. apply Rle_trans with (1 := sum_abs _ _).
    rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult.
    unfold size. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto]. }
  intros i Hi. apply Rle_trans with (1 := D i Hi).
  apply Rmult_le_compat_l; [apply sum_pos; intros; apply Rabs_pos|].
  assert (Y0 : 0 <= Y) by (apply Rle_trans with (2 := HY i Hi); apply Rabs_pos).
  apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  destruct A as [A|(j & Hj & A)]; [subst; lra|].
  assert (Q : sum n (size E j) * X <= q * X) by (apply Rmult_le_compat_r; auto).
  pose proof (D j Hj) as Dj. pose proof (HY j Hj) as Yj.
  pose proof (Rabs_triang (x j - y j) (y j)) as T. replace (x j - y j + y j) with (x j) in T by ring.
  lra.
Qed.

(* S x = 0 has no other solution than 0: then S has an inverse. *)
Theorem only_zero_is_lost E x q : 0 <= q < 1 ->
  (forall i, (i < n)%nat -> sum n (size E i) <= q) ->
  (forall i, (i < n)%nat -> x i = sum n (fun j => E i j * x j)) ->
  forall i, (i < n)%nat -> x i = 0.
Proof.
  intros Hq HE Hx i Hi.
  assert (H := inverse_is_near E x (fun _ => 0) q 0 Hq HE).
  assert (K : Rabs (x i - 0) <= sum n (size E i) * (0 / (1 - q))).
  { apply H; auto; [intros; rewrite Rminus_0_r; auto|intros; rewrite Rabs_R0; lra]. }
  unfold Rdiv in K. rewrite Rmult_0_l, Rmult_0_r, Rminus_0_r in K.
  destruct (Req_dec (x i) 0) as [Z|Z]; auto. apply Rabs_no_R0 in Z. pose proof (Rabs_pos (x i)). lra.
Qed.

(* Lemma 2: S' R' = (P' P S' X_U) X_L P; here with A for P S', and columns of E in the order of P.
   The sum of column j is at most the sum of (g |L'| e + |W'| e)_k |X_L|_kj. *)
Theorem residual_of_inverse (A L XL XU W : nat -> nat -> R) g :
  (forall i j, (i < n)%nat -> (j < n)%nat -> mul A XU i j = L i j + W i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat ->
     Rabs (mul L XL i j - unit i j) <= g * mul (size L) (size XL) i j) ->
  forall j, (j < n)%nat ->
  sum n (fun i => Rabs (mul A (mul XU XL) i j - unit i j)) <=
  sum n (fun k => (g * sum n (fun i => Rabs (L i k)) + sum n (fun i => Rabs (W i k))) *
                  Rabs (XL k j)).
Proof.
  intros HW HL j Hj.
  apply Rle_trans with
    (sum n (fun i => g * mul (size L) (size XL) i j + mul (size W) (size XL) i j)).
  { apply sum_le. intros i Hi.
    replace (mul A (mul XU XL) i j - unit i j) with ((mul L XL i j - unit i j) + mul W XL i j).
    - apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; [auto|apply mul_size].
    - rewrite <- mul_assoc, (mul_add (mul A XU) L W XL) by (intros; auto). ring. }
  rewrite sum_add, sum_scale, !column_sum, <- sum_scale, <- sum_add.
  apply sum_le. intros k _. lra.
Qed.

(* Lemma 3: with A = L U + D. *)
Theorem residual_of_factor (A L U D XU W : nat -> nat -> R) g : 0 <= g ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> A i j = mul L U i j + D i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (D i j) <= g * mul (size L) (size U) i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat ->
     Rabs (mul U XU i j - unit i j) <= g * mul (size U) (size XU) i j) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> W i j = mul A XU i j - mul L unit i j) ->
  forall i j, (i < n)%nat -> (j < n)%nat ->
  Rabs (W i j) <= 2 * g * mul (size L) (mul (size U) (size XU)) i j.
Proof.
  intros g0 HA HD HU HW i j Hi Hj.
  assert (E : W i j = mul L (fun k l => mul U XU k l - unit k l) i j + mul D XU i j).
  { rewrite HW, (mul_add A (mul L U) D), mul_assoc, mul_sub by auto. ring. }
  rewrite E. apply Rle_trans with (1 := Rabs_triang _ _).
  apply Rle_trans with (mul (size L) (fun k l => g * mul (size U) (size XU) k l) i j +
                        mul (fun k l => g * mul (size L) (size U) k l) (size XU) i j).
  - apply Rplus_le_compat; apply Rle_trans with (1 := mul_size _ _ _ _).
    + apply mul_le; intros k Hk; [lra|unfold size at 1; auto|].
      split; [apply size_pos|apply Rmult_le_pos; [lra|apply mul_size_pos]].
    + apply mul_le; intros k Hk; [unfold size at 1; auto|lra|].
      split; apply size_pos.
  - rewrite mul_scale_left, mul_scale_right, mul_assoc. lra.
Qed.

(* gram.h, Lemma 2. *)
Theorem gram_residual (G X XT T S : nat -> nat -> R) u i j : 0 <= u -> (i < n)%nat -> (j < n)%nat ->
  (forall k, (k < n)%nat -> Rabs (T k j - mul G X k j) <= u * Rabs (T k j)) ->
  Rabs (S i j - mul XT T i j) <= u * Rabs (S i j) ->
  Rabs (unit i j - mul XT (mul G X) i j) <=
  Rabs (unit i j - S i j) + u * Rabs (S i j) + u * mul (size XT) (size T) i j.
Proof.
  intros u0 Hi Hj HT HS.
  replace (unit i j - mul XT (mul G X) i j) with
    ((unit i j - S i j) + ((S i j - mul XT T i j) + mul XT (fun k l => T k l - mul G X k l) i j))
    by (rewrite mul_sub; ring).
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite Rplus_assoc. apply Rplus_le_compat_l.
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat; auto.
  apply Rle_trans with (1 := mul_size _ _ _ _). rewrite <- mul_scale_right.
  apply mul_le; intros k Hk; [lra|unfold size at 1; apply HT; auto|].
  split; [apply size_pos|apply Rmult_le_pos; [lra|apply size_pos]].
Qed.

Lemma mul_unit v i c : (i < n)%nat -> mul unit v i c = v i c.
Proof.
  unfold mul, unit. induction n as [|m IH]; intros H; [lia|]. simpl.
  destruct (Nat.eq_dec i m) as [E|E].
  - subst. rewrite Nat.eqb_refl, (sum_eq m _ (fun _ => 0)), sum_const; [ring|].
    intros k Hk. destruct (Nat.eqb_spec m k); [lia|ring].
  - rewrite IH by lia. destruct (Nat.eqb_spec i m); [lia|ring].
Qed.

(* gram.h, Lemma 1: y = X z solves G y = r, h = X' r, and R r = X h; column c of each. *)
Theorem gram_inverse_is_near (G X XT z : nat -> nat -> R) q b T c :
  let F := fun i j => unit i j - mul XT (mul G X) i j in
  let y := mul X z in let h := mul XT (mul G y) in let t := mul X h in
  0 <= q < 1 -> (forall i, (i < n)%nat -> sum n (size F i) <= q) ->
  (forall i, (i < n)%nat -> sum n (size (mul XT G) i) <= b) ->
  (forall i, (i < n)%nat -> Rabs (t i c) <= T) ->
  forall i, (i < n)%nat ->
  Rabs (y i c - t i c) <= sum n (size X i) * (q / (1 - q) * (b * T / (1 - q))).
Proof.
  intros F y h t Hq HF Hb HT i Hi.
  assert (N : forall v k, (k < n)%nat ->
    v k c - mul XT (mul G (mul X v)) k c = sum n (fun j => F k j * v j c)).
  { intros v k Hk. unfold F. rewrite (sum_eq n _ (fun j => unit k j * v j c +
      -1 * (mul XT (mul G X) k j * v j c))) by (intros; ring).
    rewrite sum_add, sum_scale. change (sum n (fun j => unit k j * v j c)) with (mul unit v k c).
    change (sum n (fun j => mul XT (mul G X) k j * v j c)) with (mul (mul XT (mul G X)) v k c).
    rewrite mul_unit, mul_assoc by auto. unfold mul at 1 4.
    rewrite (sum_eq n (fun l => XT k l * mul (mul G X) v l c)
      (fun l => XT k l * mul G (mul X v) l c)) by (intros; rewrite mul_assoc; auto). ring. }
  pose (s := mul XT (mul G t)).
  assert (HS : forall k, (k < n)%nat -> Rabs (s k c) <= b * T).
  { intros k Hk. unfold s. rewrite <- mul_assoc. apply Rle_trans with (1 := sum_abs _ _).
    assert (T0 : 0 <= T) by (apply Rle_trans with (2 := HT k Hk); apply Rabs_pos).
    apply Rle_trans with (sum n (size (mul XT G) k) * T); [|apply Rmult_le_compat_r; auto].
    rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult, Rmult_comm.
    apply Rmult_le_compat_r; [apply Rabs_pos|auto]. }
  assert (Q : forall v w V, (forall k, (k < n)%nat -> v k - w k = sum n (fun j => F k j * v j)) ->
    (forall k, (k < n)%nat -> Rabs (w k) <= V) ->
    forall k, (k < n)%nat -> Rabs (v k - w k) <= q / (1 - q) * V).
  { intros v w V E B k Hk.
    apply Rle_trans with (1 := inverse_is_near F v w q V Hq HF E B k Hk).
    assert (V0 : 0 <= V) by (apply Rle_trans with (2 := B k Hk); apply Rabs_pos).
    replace (q / (1 - q) * V) with (q * (V / (1 - q))) by (field; lra).
    apply Rmult_le_compat_r; auto. apply Rmult_le_pos; [lra|].
    apply Rlt_le, Rinv_0_lt_compat. lra. }
  assert (H : forall k, (k < n)%nat -> Rabs (h k c) <= b * T / (1 - q)).
  { intros k Hk. pose proof (Q (fun j => h j c) (fun j => s j c) (b * T) (fun k => N h k) HS k Hk) as D.
    cbv beta in D. pose proof (Rabs_triang (h k c - s k c) (s k c)) as A.
    replace (h k c - s k c + s k c) with (h k c) in A by ring. pose proof (HS k Hk).
    replace (b * T / (1 - q)) with (q / (1 - q) * (b * T) + b * T) by (field; lra). lra. }
  unfold y, t. rewrite <- (mul_sub X z h). apply Rle_trans with (1 := sum_abs _ _).
  rewrite Rmult_comm, <- sum_scale. apply sum_le. intros j Hj. rewrite Rabs_mult, Rmult_comm.
  apply Rmult_le_compat_r; [apply Rabs_pos|].
  exact (Q (fun k => z k c) (fun k => h k c) _ (fun k => N z k) H j Hj).
Qed.

End Inverse.
